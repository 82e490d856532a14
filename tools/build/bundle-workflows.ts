import path from 'node:path';
import { writeWorkflowBundle } from '../../workers/workers.ts';
import { createLogger, eachLine } from '../../runtime/logger.ts';

/*
 * node tools/build/bundle-workflows.ts FILE
 *
 * Writes the workflow bundle to FILE, for an image whose worker finds it by CARAT_WORKFLOW_BUNDLE.
 */
const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('usage: node tools/build/bundle-workflows.ts FILE\n');
  process.exitCode = 2;
} else {
  const target = path.resolve(file);
  await writeWorkflowBundle(target, createLogger({ level: 'info', destination: eachLine() }));
  process.stdout.write(`${target}\n`);
}
