import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import proto from '@temporalio/proto';
import { createDeployer } from '../../chain/deploy/deployer.ts';
import { createRpc } from '../../chain/rpc/rpc.ts';
import { connect } from '../../db/connection.ts';
import type { Deployer } from '../../domain/ports/deployment.ts';
import type {
  InspectedDiamond,
  ContractVersion,
  DiamondInspection,
  Inspect,
  InspectionRequest,
} from '../../domain/version-check.ts';
import { createInspections, type InspectionsOptions } from '../../outbox/inspections.ts';
import { createTemporalClient } from '../../outbox/temporal-client.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { hex } from '../support/fixtures.ts';
import { saveHistory } from '../support/histories.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';
import { testTemporal } from '../support/temporal.ts';
import { silent, startWorkflowWorker, type WorkflowWorker } from '../support/workflow-worker.ts';

const secret = 'rpc-secret-5f3c';
const absent: DiamondInspection = { blockNumber: 7, isThere: false, contracts: [], cut: null };

/** How each network of the tests answers. */
const networks = new Map<string, (address: string) => Promise<DiamondInspection>>();
let knex: ReturnType<typeof connect>;
let worker: WorkflowWorker;

beforeAll(async () => {
  knex = connect((await createTestDatabase()).url, { pool: 2 });
  worker = await startWorkflowWorker({
    knex,
    deployer: (networkId) => Promise.resolve({ inspect: networks.get(networkId)! } as Deployer),
  });
});

afterAll(async () => {
  await worker.stop();
  await knex.destroy();
});

/** They wait longer than any test unless it says otherwise. */
const inspections = (more: Partial<InspectionsOptions> = {}): Inspect =>
  createInspections({
    client: worker.client,
    taskQueue: worker.taskQueue,
    profile: 'test',
    patienceMs: 3_600_000,
    log: silent,
    ...more,
  });

const requestTo = (answer: (address: string) => Promise<DiamondInspection>): InspectionRequest => {
  const networkId = randomUUID();
  networks.set(networkId, answer);
  return { walletId: randomUUID(), nodeId: randomUUID(), networkId, address: hex(20) };
};

const executionsOf = async ({ walletId }: InspectionRequest) => {
  const found = [];
  for await (const one of worker.client.workflow.list({ query: `WalletIds = '${walletId}'` })) found.push(one);
  return found;
};

/** The one workflow of a request, once it can be found. */
const executionOf = (request: InspectionRequest) => eventually(async () => (await executionsOf(request))[0]);

it('an inspection returns its finding and time, and shows them to operators', async () => {
  const contract: ContractVersion = {
    kind: 'facet',
    name: 'DealFacet',
    address: hex(20),
    current_version: '1.0.0',
    latest_version: '1.1.0',
    current_code_hash: hex(32),
    latest_code_hash: hex(32),
    current_approved: false,
    latest_approved: true,
    status: 'update_available',
    update_available: true,
    selectors: { add: [], replace: [], remove: [] },
  };
  const cut = { to: hex(20), data: '0x01', cuts: [], expectedLoupeHash: hex(32) };
  const found: DiamondInspection = { blockNumber: 7, isThere: true, contracts: [contract], cut };
  const request = requestTo(() => Promise.resolve(found));
  const before = Date.now();
  const checked = (await inspections()(request))!;
  expect(checked).toEqual({ ...found, checkedAt: expect.any(String) });
  expect(Date.parse(checked.checkedAt)).toBeGreaterThanOrEqual(before);

  const { workflowId } = await executionOf(request);
  expect(workflowId).toMatch(/^inspect\/[0-9a-f-]{36}$/);
  const handle = worker.client.workflow.getHandle(workflowId);
  const described = await handle.describe();
  expect(described).toMatchObject({ type: 'inspect', status: { name: 'COMPLETED' } });
  expect(await described.staticSummary()).toContain(request.walletId);
  expect(await described.staticDetails()).toContain(request.networkId);
  const { currentDetails } = (await handle.query('__temporal_workflow_metadata')) as { currentDetails: string };
  expect(currentDetails).toContain('at block 7 **an update makes 0 changes**');
  expect(currentDetails).toContain(`DealFacet \`${contract.address}\`: **update_available**, not approved`);
  await saveHistory('inspect-answered', handle);
});

it('an inspection is retried while a network does not answer, and returns once it does', async () => {
  let tries = 0;
  const request = requestTo(() => {
    tries += 1;
    return tries < 3 ? Promise.reject(new Error('too few endpoints agree')) : Promise.resolve(absent);
  });
  expect(await inspections()(request)).toMatchObject(absent);
  await saveHistory('inspect-tried-again', worker.client.workflow.getHandle((await executionOf(request)).workflowId));
});

it('an inspection without a result in time returns nothing; its workflow ends as well, and shows no secret', async () => {
  const rpc = createRpc({ urls: [`http://user:${secret}@127.0.0.1:1/${secret}`], eip155: 1, timeoutMs: 500 });
  const platform = { firstRoot: hex(20), approvalDelay: 0n, id: hex(32) };
  const network = { name: 'far', eip155: 1, confirmations: 1, quorum: 1, platform, root: hex(20), guardian: hex(20) };
  const request = requestTo(createDeployer({ network, rpc }).inspect);
  const lines: unknown[] = [];
  const log = { ...silent, warn: (...line: unknown[]) => void lines.push(line) };
  expect(await inspections({ patienceMs: 5_000, log })(request)).toBeNull();
  await eventually(() => lines.length === 1);
  expect(JSON.stringify(lines)).toContain(request.walletId);

  const { workflowId } = await executionOf(request);
  const handle = worker.client.workflow.getHandle(workflowId);
  await eventually(async () => (await handle.describe()).status.name !== 'RUNNING');
  const { History } = proto.temporal.api.history.v1;
  const history = Buffer.from(History.encode(await handle.fetchHistory()).finish()).toString('latin1');
  expect(history).toContain(request.networkId);
  expect(history + JSON.stringify(lines)).not.toContain(secret);
});

it('an inspection returns nothing at once while Temporal is stopped, and in time while it hangs', async () => {
  const request = requestTo(() => Promise.resolve(absent));
  const nowhere = createTemporalClient({ address: '127.0.0.1:1', namespace: 'default' });
  expect(await inspections({ client: nowhere })(request)).toBeNull();

  const proxy = await createTcpProxy();
  const { namespace, address } = testTemporal();
  const { host } = new URL(proxy.through(`http://${address}`));
  const client = createTemporalClient({ address: host, namespace });
  expect(await inspections({ client })(request)).toMatchObject(absent);
  proxy.freeze();
  const frozen = performance.now();
  expect(await inspections({ client, patienceMs: 1_000 })(request)).toBeNull();
  // Ten times its patience. The client would notice the dead connection after 45 seconds.
  expect(performance.now() - frozen).toBeLessThan(10_000);
  await Promise.all([nowhere.connection.close(), client.connection.close(), proxy.close()]);
});

it('a diamond has one inspection at a time, and no caller gets one that began before its request', async () => {
  const looks: number[] = [];
  const request = requestTo(async () => {
    looks.push(Date.now());
    await delay(100);
    return absent;
  });
  const inspect = inspections();
  const ask = async (): Promise<boolean> => {
    const asked = Date.now();
    const { checkedAt } = (await inspect({ ...request }))!;
    // The look that is answered is the last one that ended before.
    const answered = looks.findLast((began) => began <= Date.parse(checkedAt))!;
    return answered >= asked;
  };
  const rounds = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      await delay(index * 5);
      return ask();
    }),
  );
  expect(rounds).toEqual(rounds.map(() => true));
  expect(looks.length).toBeLessThan(10);
});

it('few inspections begin in a second, however many are requested', async () => {
  const began: number[] = [];
  const inspect = inspections();
  const checks = Array.from({ length: 36 }, () =>
    inspect(
      requestTo(async () => {
        began.push(Date.now());
        await delay(50);
        return absent;
      }),
    ),
  );
  const answers = (await Promise.all(checks)) as InspectedDiamond[];
  expect(answers.every((answer) => answer !== null)).toBe(true);
  const perSecond = began.length / ((Math.max(...began) - Math.min(...began)) / 1_000);
  expect(perSecond).toBeLessThan(20);
});

it('inspections that wait for a silent network delay none of another one', async () => {
  const inspect = inspections();
  const over = Promise.withResolvers<void>();
  let begun = 0;
  const silentOnes = Array.from({ length: 22 }, () =>
    inspect(
      requestTo(async () => {
        begun += 1;
        await over.promise;
        return absent;
      }),
    ),
  );
  await eventually(() => begun >= 4);
  expect(await inspections()(requestTo(() => Promise.resolve(absent)))).toMatchObject(absent);
  over.resolve();
  expect(await Promise.all(silentOnes)).toEqual(silentOnes.map(() => expect.objectContaining(absent)));
});
