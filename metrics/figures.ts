import { Gauge, type Registry } from 'prom-client';
import type { NamedCount, FigureReaders, Waiting, LaneFigures } from '../db/figures/figures.ts';
import { openStatuses } from '../domain/payment.ts';
import type { Source } from './refresh.ts';

/** Most lanes with series of their own: those that need attention first. The sums of a network count all. */
export const MAX_LANES = 50;

const topics = ['create_payment', 'payment_signal', 'command', 'webhook_command'];
const attempts = ['first', 'retry'];
const kinds = ['api', 'worker'];
const states = ['active', 'paused'] as const;

/** A gauge whose series are those of the last reading. */
const gaugesOn =
  (register: Registry) =>
  <Label extends string>(name: string, help: string, ...labelNames: readonly Label[]) => {
    const gauge = new Gauge<Label>({ name: `carat_${name}`, help, labelNames, registers: [register] });
    const hide = (): void => {
      gauge.reset();
      // Without labels it would be 0 now, which is a figure that nobody has read.
      if (labelNames.length === 0) gauge.remove();
    };
    hide();
    return {
      hide,
      show: (rows: readonly (readonly [labels: Readonly<Record<Label, string>>, value: number | null])[]): void => {
        hide();
        for (const [labels, value] of rows) if (value !== null) gauge.set(labels, value);
      },
    };
  };

type CreateGauge = ReturnType<typeof gaugesOn>;
type Shown = ReturnType<CreateGauge>;

const createSource = <Row>(
  name: string,
  gauges: readonly Pick<Shown, 'hide'>[],
  read: () => Promise<Row>,
  show: (read: Row) => void,
): Source => ({
  name,
  hide: () => gauges.forEach((gauge) => gauge.hide()),
  show: async () => show(await read()),
});

/** The ages that `GET /status` judges. Nothing that waits has the age 0. */
const agesOf = (createGauge: CreateGauge, { ages }: FigureReaders): Source => {
  const [temporal, command, intent, offer] = [
    createGauge(
      'temporal_answer_age_seconds',
      'Time since Temporal last answered a worker, or an api if no worker runs',
    ),
    createGauge(
      'command_age_seconds',
      'Age of the oldest command about payments or diamonds that Temporal was not told',
    ),
    createGauge(
      'intent_age_seconds',
      'Age of the oldest intent without nonce and waiting reason, without paused lanes',
    ),
    createGauge(
      'offer_age_seconds',
      'Age of the oldest pending offered payment without an offer and without a known reason',
    ),
  ] as const;
  const webhook = createGauge(
    'webhook_late_seconds',
    'Time since the most overdue attempt was due: first attempts of webhooks that do not fail, and retries',
    'attempt',
  );
  return createSource('ages', [temporal, command, intent, offer, webhook], ages, (read) => {
    temporal.show([[{}, read.temporal]]);
    command.show([[{}, read.command ?? 0]]);
    intent.show([[{}, read.intent ?? 0]]);
    offer.show([[{}, read.offer ?? 0]]);
    webhook.show([
      [{ attempt: 'first' }, Math.max(0, read.first ?? 0)],
      [{ attempt: 'retry' }, Math.max(0, read.retry ?? 0)],
    ]);
  });
};

const networksOf = (createGauge: CreateGauge, { networks }: FigureReaders): Source => {
  const lag = createGauge('watcher_lag_seconds', 'Time since the watcher was at the head of its chain', 'network');
  const still = createGauge('network_block_age_seconds', 'Time since the head of the chain last changed', 'network');
  const block = createGauge('watcher_block', 'Newest block by state: read, confirmed', 'network', 'state');
  const halted = createGauge('network_halted', '1 if the chain is not the one of the stored data', 'network');
  const endpoints = createGauge('network_endpoints', 'RPC endpoints in the catalogue', 'network');
  return createSource('networks', [lag, still, block, halted, endpoints], networks, (rows) => {
    lag.show(rows.map((row) => [{ network: row.name }, row.looked_age]));
    still.show(rows.map((row) => [{ network: row.name }, row.risen_age]));
    block.show(
      rows.flatMap((row) => [
        [{ network: row.name, state: 'read' }, row.block] as const,
        [{ network: row.name, state: 'confirmed' }, row.confirmed_block] as const,
      ]),
    );
    halted.show(rows.map((row) => [{ network: row.name }, Number(row.is_halted)]));
    endpoints.show(rows.map((row) => [{ network: row.name }, row.endpoints]));
  });
};

const paymentsOf = (createGauge: CreateGauge, { payments, networks }: FigureReaders): Source => {
  const labels = ['network', 'method', 'status', 'detail'] as const;
  const count = createGauge(
    'payments_open',
    'Open payments by status and status_detail; detail "" for none',
    ...labels,
  );
  const oldest = createGauge(
    'payments_oldest_seconds',
    'Time since the last change of the one that has not changed for the longest time',
    ...labels,
  );
  return createSource(
    'payments',
    [count, oldest],
    async () => ({ rows: await payments(), names: (await networks()).map(({ name }) => name) }),
    ({ rows, names }) => {
      const empty = names.flatMap((network) =>
        openStatuses.map((status) => ({ network, method: 'web3', status, detail: '', count: 0, oldest: 0 })),
      );
      const all = [...empty, ...rows].map(({ count: own, oldest: age, ...of }) => ({ of, own, age }));
      count.show(all.map(({ of, own }) => [of, own]));
      oldest.show(all.map(({ of, age }) => [of, age]));
    },
  );
};

const lanesOf = (createGauge: CreateGauge, { lanes }: FigureReaders): Source => {
  const of = (row: LaneFigures) => ({ network: row.network, role: row.role, lane: row.address });
  const one = ['network', 'role', 'lane'] as const;
  const queued = createGauge(
    'lane_queued',
    `Intents without a nonce, of the ${MAX_LANES} lanes that need attention first`,
    ...one,
  );
  const inFlight = createGauge('lane_in_flight', 'Transactions that are in no block yet, of the same lanes', ...one);
  const head = createGauge(
    'lane_head_age_seconds',
    'Age of the oldest transaction that is in no block yet, of the same lanes',
    ...one,
  );
  const paused = createGauge('lane_paused', '1 if the lane is paused, of the same lanes', ...one);
  const count = createGauge('lanes', 'All lanes by state: active, paused', 'network', 'role', 'state');
  const allQueued = createGauge('lanes_queued', 'Intents without a nonce, of all lanes', 'network', 'role');
  const allInFlight = createGauge(
    'lanes_in_flight',
    'Transactions that are in no block yet, of all lanes',
    'network',
    'role',
  );
  return createSource('lanes', [queued, inFlight, head, paused, count, allQueued, allInFlight], lanes, (rows) => {
    const worst = rows.slice(0, MAX_LANES);
    queued.show(worst.map((row) => [of(row), row.queued]));
    inFlight.show(worst.map((row) => [of(row), row.in_flight]));
    head.show(worst.map((row) => [of(row), row.head_age]));
    paused.show(worst.map((row) => [of(row), Number(row.is_paused)]));
    const groups = [...Map.groupBy(rows, ({ network, role }) => JSON.stringify({ network, role }))].map(
      ([key, own]) => ({ key: JSON.parse(key) as Pick<LaneFigures, 'network' | 'role'>, own }),
    );
    count.show(
      groups.flatMap(({ key, own }) =>
        states.map(
          (state) => [{ ...key, state }, own.filter((row) => row.is_paused === (state === 'paused')).length] as const,
        ),
      ),
    );
    allQueued.show(groups.map(({ key, own }) => [key, own.reduce((sum, row) => sum + row.queued, 0)]));
    allInFlight.show(groups.map(({ key, own }) => [key, own.reduce((sum, row) => sum + row.in_flight, 0)]));
  });
};

/** The rows of these groups, also of those without any. */
const filled = (groups: readonly string[], rows: readonly Waiting[]): Waiting[] =>
  groups.map((group) => rows.find((row) => row.group === group) ?? { group, count: 0, oldest: 0 });

const outboxOf = (createGauge: CreateGauge, { outbox }: FigureReaders): Source => {
  const depth = createGauge('outbox_depth', 'Rows that Temporal was not told yet, up to 100,000 in all', 'topic');
  const age = createGauge('outbox_age_seconds', 'Age of the oldest of them', 'topic');
  return createSource('outbox', [depth, age], outbox, (rows) => {
    const all = filled(topics, rows);
    depth.show(all.map(({ group: topic, count }) => [{ topic }, count]));
    age.show(all.map(({ group: topic, oldest }) => [{ topic }, oldest]));
  });
};

const webhooksOf = (createGauge: CreateGauge, { deliveries }: FigureReaders): Source => {
  const backlog = createGauge(
    'webhook_backlog',
    'Deliveries that wait for a first attempt or a retry, up to 100,000 of each',
    'attempt',
  );
  const age = createGauge('webhook_oldest_seconds', 'Age of the oldest of them', 'attempt');
  return createSource('webhooks', [backlog, age], deliveries, (rows) => {
    const all = filled(attempts, rows);
    backlog.show(all.map(({ group: attempt, count }) => [{ attempt }, count]));
    age.show(all.map(({ group: attempt, oldest }) => [{ attempt }, oldest]));
  });
};

/** Counts of things by their kind. */
const countsOf = (
  createGauge: CreateGauge,
  source: string,
  [name, help]: readonly [name: string, help: string],
  read: () => Promise<NamedCount[]>,
  known: readonly string[] = [],
): Source => {
  const gauge = createGauge(name, help, 'kind');
  return createSource(source, [gauge], read, (rows) => {
    const kindsOf = [...new Set([...known, ...rows.map((row) => row.name)])];
    gauge.show(kindsOf.map((kind) => [{ kind }, rows.find((row) => row.name === kind)?.count ?? 0]));
  });
};

/** The figures of the database as gauges. Every process shows the same ones: dashboards take the maximum. */
export const figureSources = (register: Registry, readers: FigureReaders): readonly Source[] => {
  const createGauge = gaugesOn(register);
  return [
    countsOf(
      createGauge,
      'processes',
      [
        'processes',
        'Processes with a sign of life in the last 30 seconds, and stopped ones that none has replaced yet',
      ],
      readers.processes,
      kinds,
    ),
    countsOf(
      createGauge,
      'missing',
      ['processes_missing', 'Processes that ended without a word in the last hour and were not replaced'],
      readers.missing,
      kinds,
    ),
    countsOf(createGauge, 'alerts', ['alerts_open', 'Open alerts by kind'], readers.alerts),
    agesOf(createGauge, readers),
    networksOf(createGauge, readers),
    paymentsOf(createGauge, readers),
    lanesOf(createGauge, readers),
    outboxOf(createGauge, readers),
    webhooksOf(createGauge, readers),
  ];
};
