import path from 'node:path';
import { Connection } from '@temporalio/client';
import { freePorts } from '../../../tools/process/ports.ts';
import { recordProcess } from '../../../tools/process/records.ts';
import { startTemporal } from '../../../tools/stack/temporal.ts';
import { missingSearchAttributes } from '../../../outbox/temporal-client.ts';
import { recordsOf, testStack } from '../../support/stack.ts';

it('a server with data of an earlier version gets the new search attributes', async () => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  const start = () =>
    startTemporal({
      port,
      databaseFile: path.join(dir, `older-temporal-${port}.db`),
      logFile: path.join(dir, 'logs', `older-temporal-${port}.log`),
      onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
    });
  const ask = async <Answer>(question: (connection: Connection) => Promise<Answer>): Promise<Answer> => {
    const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
    try {
      return await question(connection);
    } finally {
      await connection.close();
    }
  };
  const names = ['ExternalIds', 'TransactionHashes'];
  const older = await start();
  await ask((connection) =>
    connection.operatorService.removeSearchAttributes({ namespace: older.namespace, searchAttributes: names }),
  );
  await older.stop();
  const newer = await start();
  expect(await ask((connection) => missingSearchAttributes({ connection, namespace: newer.namespace }))).toEqual([]);
  await newer.stop();
});
