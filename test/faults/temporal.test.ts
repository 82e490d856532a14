import fs from 'node:fs';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import { freePorts } from '../../tools/process/ports.ts';
import { recordProcess } from '../../tools/process/records.ts';
import { startTemporal, type Temporal } from '../../tools/stack/temporal.ts';
import { startSlowProxy, type SlowProxy } from '../support/slow-proxy.ts';
import { recordsOf, testStack } from '../support/stack.ts';
import { silent } from '../support/workflow-worker.ts';
import { createRig, type Rig } from './rig.ts';

/* Temporal is gone, slow, without an attribute, or has a workflow that the code refuses. */

let rig: Rig;
let temporal: Temporal;
let proxy: SlowProxy;
let start: () => Promise<Temporal>;

beforeAll(async () => {
  const { dir } = testStack();
  const [port = 0] = await freePorts(1);
  start = () =>
    startTemporal({
      port,
      databaseFile: path.join(dir, `faults-temporal-${port}.db`),
      logFile: path.join(dir, 'logs', `faults-temporal-${port}.log`),
      onSpawn: (pid) => recordProcess(recordsOf(dir, process.pid), 'Temporal', pid),
    });
  temporal = await start();
  proxy = await startSlowProxy(port);
  rig = await createRig({ temporalAddress: proxy.address });
});

afterAll(async () => {
  await rig?.stop();
  await proxy?.close();
  await temporal?.stop();
});

it('Temporal is killed', async () => {
  await rig.named('no Temporal', {
    inject: async () => {
      process.kill(temporal.pid!, 'SIGKILL');
      await temporal.exited;
    },
    mend: async () => {
      temporal = await start();
    },
    says: /^PROBLEM +temporal +\S+ does not answer/m,
  });
});

it('Temporal is slow', async () => {
  await rig.named('slow Temporal', {
    inject: async () => proxy.delay(400),
    mend: async () => proxy.delay(0),
    says: /^warning +temporal +\S+ takes \d+ ms for a small answer/m,
  });
});

it('a search attribute is removed, and another one takes its slot', async () => {
  const connection = await Connection.connect({ address: temporal.address });
  const at = { namespace: temporal.namespace };
  const keywordList = 7;
  await rig.named('lost search attribute', {
    inject: async () => {
      await connection.operatorService.removeSearchAttributes({ ...at, searchAttributes: ['PaymentIds'] });
      await connection.operatorService.addSearchAttributes({ ...at, searchAttributes: { Other: keywordList } });
    },
    mend: () => connection.operatorService.removeSearchAttributes({ ...at, searchAttributes: ['Other'] }),
    says: /lacks the search attributes PaymentIds/,
  });
  await connection.close();
});

it('a release has changed the workflow of a payment', async () => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(import.meta.dirname, 'changed-release.ts'),
    logger: { ...silent, trace: silent.debug, log: () => {} },
  });
  const bundle = path.join(testStack().dir, 'changed-release.js');
  fs.writeFileSync(bundle, code);
  const payment = await rig.shop.create('alpha');
  await rig.shop.reached(payment, 'awaiting_payment');
  await rig.named('poisoned workflow', {
    inject: async () => {
      await rig.workers[0]!.stop();
      await rig.startWorker(0, { CARAT_WORKFLOW_BUNDLE: bundle });
      await rig.shop.merchant.cancel(payment.id);
    },
    mend: async () => {
      await rig.workers[0]!.stop();
      await rig.startWorker();
    },
    says: new RegExp(`cannot go on.*payment/${payment.id}`),
  });
  await rig.shop.reached(payment, 'canceled');
});
