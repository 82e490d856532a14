import { endRecorded } from '../../tools/process/records.ts';
import { dropTestDatabases } from './database.ts';
import { recordsOf, testStack } from './stack.ts';

// A test file that failed half-way leaves chains behind; they end before the next file of this Jest worker begins.
await endRecorded(recordsOf(testStack().dir, process.pid));
await dropTestDatabases();
