import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { ethers } from 'ethers';
import type { Payment } from '../../../api/generated/openapi-types.ts';
import { residentMemory, processorTime } from '../../process/usage.ts';
import type { DealMode } from '../../../domain/payment.ts';
import { caratHere } from '../../../test/support/carat.ts';
import {
  atRate,
  createBuyers,
  payAll,
  activeWallet,
  apiClient,
  orderOf,
  subscribe,
  untilDelivered,
} from '../buyers.ts';
import { chainFlags } from '../chain-stack.ts';
import { startProductStack } from '../product-stack.ts';
import { startWebhookReceiver } from '../webhooks/start-receiver.ts';
import { startCountingProxy, list, showTables, tables, type CountingProxy } from './tables.ts';

/*
 * npm run bench:sizing [-- PAYMENTS [RATE [BLOCK_SECONDS [IDLE_SECONDS]]]]
 *
 * The costs of a payment: processor time by process, bytes in PostgreSQL and in its log, bytes of workflow histories, and calls of
 * the RPC endpoint. Payments come at a constant rate, and each is paid once it can be. Method and figures: tools/bench/README.md.
 */

const payments = Number(process.argv[2] ?? 600);
const rate = Number(process.argv[3] ?? 5);
const blockSeconds = Number(process.argv[4] ?? 2);
const idleSeconds = Number(process.argv[5] ?? 60);
const POLL_MS = 100;
/** Until a watcher has caught up, and lanes rest. */
const SETTLING_MS = 15_000;

let proxy: CountingProxy | undefined;
const stack = await startProductStack({
  blockTime: blockSeconds,
  urlOf: async (url) => {
    proxy = await startCountingProxy(url);
    return proxy.url;
  },
});
const receiver = await startWebhookReceiver();
const connection = await Connection.connect({ address: stack.temporal.address });
const temporal = new Client({ connection, namespace: stack.temporal.namespace });
const { knex, pids } = stack;

const logPosition = async (): Promise<number> =>
  Number((await knex.raw(`SELECT pg_current_wal_lsn() - '0/0' AS bytes`)).rows[0].bytes);

const headBlock = async (): Promise<number> => Number((await knex('watch_cursors').first('number')).number);

/** Bytes of the histories of all workflows, by type, and their number. */
const histories = async (): Promise<Map<string, { count: number; bytes: number }>> => {
  const found = new Map<string, { count: number; bytes: number }>();
  for await (const { workflowId, runId, type } of temporal.workflow.list()) {
    const { historySize = 0 } = await temporal.workflow.getHandle(workflowId, runId).describe();
    const { count, bytes } = found.get(type) ?? { count: 0, bytes: 0 };
    found.set(type, { count: count + 1, bytes: bytes + historySize });
  }
  return found;
};

const measure = async () => ({
  at: Date.now(),
  block: await headBlock(),
  log: await logPosition(),
  used: Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, processorTime(pid)])),
  rpc: proxy!.counts(),
});
type Measured = Awaited<ReturnType<typeof measure>>;

const difference = (before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));

const sum = (values: Readonly<Record<string, number>>): number => Object.values(values).reduce((a, b) => a + b, 0);
/** An idle installation: the costs of each block and each second without a payment. */
interface Idle {
  readonly blocks: number;
  readonly requests: number;
  readonly calls: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly used: Readonly<Record<string, number>>;
  readonly log: number;
}

const between = (before: Measured, after: Measured): Idle => ({
  blocks: after.block - before.block,
  requests: after.rpc.requests - before.rpc.requests,
  calls: difference(before.rpc.calls, after.rpc.calls),
  seconds: (after.at - before.at) / 1_000,
  used: difference(before.used, after.used),
  log: after.log - before.log,
});

const measureIdle = async (name: string): Promise<Idle> => {
  await delay(SETTLING_MS);
  const before = await measure();
  await delay(idleSeconds * 1_000);
  const idle = between(before, await measure());
  const perHour = 3_600 / idle.seconds;
  console.log(
    `${name}: of each of ${idle.blocks} blocks ${(idle.requests / idle.blocks).toFixed(2)} requests with ` +
      `${(sum(idle.calls) / idle.blocks).toFixed(2)} calls (${list(idle.calls, idle.blocks)})`,
  );
  console.log(`  processor ms of a second: ${list(idle.used, idle.seconds)}`);
  console.log(`  log of an hour: ${((idle.log * perHour) / 2 ** 20).toFixed(1)} MiB`);
  return idle;
};

const { call, token } = await apiClient(stack);
const buyers = createBuyers(stack.chain.url, chainFlags.chainId, 32);
const payee = ethers.Wallet.createRandom().address;
let made = 0;

const sell = async (walletId: string, count: number): Promise<void> => {
  let bearer = await token();
  const posted = new Map<string, Payment>();
  const paying = payAll({ knex, call, buyers }, { payments: posted, count, done: made, everyMs: POLL_MS });
  made += count;
  const posting = atRate(rate, count, async (number) => {
    if (number % (rate * 300) === rate * 299) bearer = await token();
    const key = { 'idempotency-key': randomUUID() };
    const body = orderOf(stack, walletId, payee);
    const payment = await call<Payment>('POST', '/api/v1/payments', bearer, body, key);
    posted.set(payment.id, payment);
  });
  await Promise.all([posting, paying]);
  await untilDelivered(knex, POLL_MS);
};

const pack = async (): Promise<void> => {
  await knex.raw('VACUUM (FULL)');
};

/** The backup of everything, in bytes for each payment made. */
const measureBackup = async (): Promise<void> => {
  const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'carat-bench-')), 'backup');
  const { code, err } = await caratHere(['backup', folder], {
    CARAT_DATABASE_URL: stack.databaseUrl,
    CARAT_MASTER_KEY: stack.masterKey,
  });
  if (code !== 0) throw new Error(err);
  const bytes = fs.readdirSync(folder).reduce((all, name) => all + fs.statSync(path.join(folder, name)).size, 0);
  console.log(`\nbackup: ${(bytes / made).toFixed(0)} bytes for each of ${made} payments`);
  fs.rmSync(path.dirname(folder), { recursive: true });
};

const measurePayments = async (mode: DealMode, webhook: boolean, idle: Idle): Promise<void> => {
  const wallet = await activeWallet(call, await token(), stack.catalogue, mode);
  if (webhook) await subscribe(call, await token(), stack.catalogue, wallet.id, receiver.origin);
  await sell(wallet.id, rate);
  await pack();
  const [packed, told] = [await tables(knex), await histories()];
  const before = await measure();
  await sell(wallet.id, payments);
  const spent = between(before, await measure());
  console.log(
    `\n${mode}${webhook ? ', with a webhook for every event' : ''}: ${payments} payments at ${rate} a second`,
  );
  const own = Object.fromEntries(
    Object.entries(spent.used).map(([name, ms]) => [name, ms - (idle.used[name]! * spent.seconds) / idle.seconds]),
  );
  console.log(`  processor ms: ${list(spent.used, payments)}; beyond an idle installation's: ${list(own, payments)}`);
  const calls = Object.fromEntries(
    Object.entries(spent.calls).map(([name, count]) => [
      name,
      count - ((idle.calls[name] ?? 0) * spent.blocks) / idle.blocks,
    ]),
  );
  const requests = spent.requests - (idle.requests * spent.blocks) / idle.blocks;
  console.log(
    `  RPC, beyond an idle block's: ${(requests / payments).toFixed(2)} requests with ${(sum(calls) / payments).toFixed(2)} calls (${list(calls, payments)})`,
  );
  console.log(
    `  RPC, of each of ${spent.blocks} blocks: ${(spent.requests / spent.blocks).toFixed(2)} requests with ${(sum(spent.calls) / spent.blocks).toFixed(2)} calls`,
  );
  console.log(`  log of PostgreSQL: ${(spent.log / payments).toFixed(0)} bytes`);
  showTables(packed, await tables(knex), { payments, what: 'as it grew' });
  await pack();
  showTables(packed, await tables(knex), { payments, what: 'packed' });
  const later = await histories();
  for (const [type, { count, bytes }] of later) {
    const then = told.get(type) ?? { count: 0, bytes: 0 };
    if (bytes === then.bytes) continue;
    console.log(
      `  histories of ${type}: ${((bytes - then.bytes) / payments).toFixed(0)} bytes in ${((count - then.count) / payments).toFixed(3)} runs`,
    );
  }
  const memory = Object.entries(pids).map(([name, pid]) => `${name} ${residentMemory(pid).toFixed(0)}`);
  console.log(`  resident memory, MiB: ${memory.join(', ')}`);
  const connections = await knex('pg_stat_activity')
    .whereNotNull('client_port')
    .groupBy('application_name')
    .orderBy('application_name')
    .select<{ application_name: string; count: string }[]>('application_name', knex.raw('count(*)'));
  console.log(
    `  connections: ${connections.map(({ application_name: name, count }) => `${name || 'bench'} ${count}`).join(', ')}`,
  );
};

try {
  await measureIdle('without a wallet');
  await activeWallet(call, await token(), stack.catalogue);
  const idle = await measureIdle('idle');
  await measurePayments('created', false, idle);
  await measurePayments('created', true, idle);
  await measurePayments('offered', false, idle);
  await measureBackup();
} finally {
  await connection.close();
  receiver.stop();
  await stack.stop();
  proxy?.stop();
}
