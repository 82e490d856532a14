import { Gauge, type Registry } from 'prom-client';
import { onMeasure, refusalReasons, type RefusalReason } from '../runtime/measures.ts';

/** Milliseconds for which a refusal is shown: longer than the pauses between signs of life, and between looks at the disk. */
const SHOWN_MS = 25_000;

/** Shows why PostgreSQL refuses statements of this process. */
export const showRefusals = (register: Registry): void => {
  const until = new Map<RefusalReason, number>(refusalReasons.map((reason) => [reason, 0]));
  onMeasure('refusal', ({ reason }) => void until.set(reason, performance.now() + SHOWN_MS));
  new Gauge({
    name: 'carat_database_refuses',
    help: '1 if PostgreSQL has refused a statement of this process in the last 25 seconds, by the reason',
    labelNames: ['reason'],
    registers: [register],
    collect() {
      for (const [reason, at] of until) this.set({ reason }, Number(at > performance.now()));
    },
  });
};

/** Shows how fast Temporal responds to this process. */
export const showPings = (register: Registry): void => {
  const gauge = new Gauge({
    name: 'carat_temporal_response_seconds',
    help: 'Time until Temporal responded to the last ping of this process; 2 if it takes longer; missing if it cannot be reached',
    registers: [register],
  });
  gauge.remove();
  onMeasure('ping', ({ seconds }) => (seconds === null ? gauge.remove() : gauge.set(seconds)));
};
