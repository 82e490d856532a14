/*
 * The alerts that a fault of the only node must and may raise, on a network with 2 confirmations and a block a second;
 * and the faults in the alerts that were raised.
 */

/** A row of the alerts. */
export interface Heard {
  readonly kind: string;
  readonly is_condition: boolean;
  readonly payment_id: string | null;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
  readonly closed_at: Date | null;
}

/** A fault that was played, and what was known when it began. Times are milliseconds since the epoch. */
export interface Played {
  readonly what: string;
  readonly at: number;
  /** The node answers again. */
  readonly mendedAt: number;
  /** Milliseconds for which the node did not answer, at most. */
  readonly silentMs: number;
  /** Newest block that is still on the chain. */
  readonly ancestor: number;
  /** Newest block that the product had read for certain, its confirmed block, and the newest one that it may have read. */
  readonly cursor: { readonly number: number; readonly confirmed: number; readonly most: number };
  /** Payments that were completed, with the blocks of their payments. */
  readonly completed: readonly { readonly id: string; readonly block: number }[];
}

const CONFIRMATIONS = 2;
/**
 * A network of one block a second counts as unreachable after ten seconds, at the next check; checks are at most 5 s
 * apart.
 */
const UNREACHABLE_MS = 10_000;
const LONG_MS = 40_000;
const IN_TIME_MS = 60_000;

const depth = ({ cursor, ancestor }: Played): number => cursor.most - ancestor;

/** Ids of the completed payments that are in no block any more. */
const removed = ({ completed, ancestor }: Played): string[] =>
  completed.filter(({ block }) => block > ancestor).map(({ id }) => id);

const isDeep = ({ cursor, ancestor }: Played): boolean =>
  cursor.number - ancestor >= CONFIRMATIONS && ancestor < cursor.confirmed;

const of = (alerts: readonly Heard[], kind: string): Heard[] => alerts.filter((alert) => alert.kind === kind);

/** Whether the fault explains the alert. */
const isExplained = (played: Played, alert: Heard, alerts: readonly Heard[]): boolean => {
  const { ancestor, silentMs } = played;
  const { kind, data, payment_id: payment } = alert;
  if (kind === 'network_unreachable') return silentMs >= UNREACHABLE_MS;
  if (depth(played) < CONFIRMATIONS) return false;
  if (kind === 'deep_reorganisation') return data.ancestor === ancestor;
  if (kind === 'payment_reversed') return data.ancestor === ancestor && Number(data.block_number) > ancestor;
  return kind === 'payment_returned' && of(alerts, 'payment_reversed').some((own) => own.payment_id === payment);
};

/** The names of alerts that had to be raised and were not. A removed payment is paid again, so it must come back. */
export const missing = (played: Played, alerts: readonly Heard[]): string[] => {
  const hasPayment = (kind: string, id: string | null): boolean =>
    of(alerts, kind).some(({ payment_id }) => payment_id === id);
  const kinds = [
    ...(played.silentMs >= LONG_MS ? ['network_unreachable'] : []),
    ...(isDeep(played) ? ['deep_reorganisation'] : []),
  ];
  const reversed = of(alerts, 'payment_reversed').map(({ payment_id }) => payment_id);
  return [
    ...kinds.filter((kind) => of(alerts, kind).length === 0),
    ...removed(played)
      .filter((id) => !hasPayment('payment_reversed', id))
      .map((id) => `payment_reversed of ${id}`),
    ...reversed.filter((id) => !hasPayment('payment_returned', id)).map((id) => `payment_returned of ${id}`),
    ...alerts.filter(({ is_condition, closed_at }) => is_condition && !closed_at).map(({ kind }) => `end of ${kind}`),
  ];
};

/** The faults of the alerts about a fault, in a line each. */
export const problems = (played: Played, alerts: readonly Heard[]): string[] => {
  const seen = new Set<string>();
  return [
    ...missing(played, alerts).map((what) => `no ${what}`),
    ...alerts.flatMap((alert) => {
      const { kind, payment_id, message, data, created_at, closed_at, is_condition } = alert;
      const name = `${kind} ${payment_id ?? ''}`;
      const isTwice = seen.has(name);
      seen.add(name);
      // Without a chain, no watcher sees the payments that a reorganisation removed; a payment returns when its buyer
      // pays again.
      const from = kind === 'network_unreachable' ? played.at : played.mendedAt;
      const isLate = kind !== 'payment_returned' && created_at.getTime() - from > IN_TIME_MS;
      const isLong = is_condition && closed_at !== null && closed_at.getTime() - played.mendedAt > IN_TIME_MS;
      return [
        ...(isExplained(played, alert, alerts)
          ? []
          : [`no fault explains ${name}: ${message} ${JSON.stringify(data)}`]),
        ...(isTwice ? [`${name} came twice`] : []),
        ...(isLate ? [`${name} came late`] : []),
        ...(isLong ? [`${name} was closed late`] : []),
      ];
    }),
  ].map((line) => `${played.what}: ${line}`);
};

const seconds = (times: readonly number[]): string => {
  const [first, last] = [Math.min(...times), Math.max(...times)].map((ms) => (ms / 1_000).toFixed(1));
  return first === last ? `${first} s` : `${first} to ${last} s`;
};

/** A fault and its alerts, in one line; seconds count from the fault. */
export const line = (played: Played, alerts: readonly Heard[], startedAt: number): string => {
  const { at, what, silentMs, cursor, ancestor } = played;
  const after = (time: Date): number => time.getTime() - at;
  const kinds = [...new Set(alerts.map(({ kind }) => kind))].map((kind) => {
    const own = of(alerts, kind);
    const closed = own.flatMap(({ is_condition, closed_at }) => (is_condition && closed_at ? [after(closed_at)] : []));
    const raised = seconds(own.map(({ created_at }) => after(created_at)));
    return `${own.length} ${kind} after ${raised}${closed.length > 0 ? `, closed after ${seconds(closed)}` : ''}`;
  });
  const lost = Math.max(0, cursor.number - ancestor);
  const begin = String(Math.round((at - startedAt) / 1_000)).padStart(5);
  const silent = `${(silentMs / 1_000).toFixed(1)} s silent`;
  return `${begin} s  ${what.padEnd(26)} ${silent.padStart(14)}, ${String(lost).padStart(2)} blocks lost: ${kinds.join('; ') || 'nothing'}`;
};
