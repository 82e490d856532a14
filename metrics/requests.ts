import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { onMeasure } from '../runtime/measures.ts';

/** Upper bounds in seconds. A version check waits for a chain, up to ten seconds. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** For requests that match no operation. */
const NONE = 'none';

/** Counts requests by operation and status, and their durations by operation. The series are looked up once each. */
export const countRequests = (register: Registry): void => {
  const total = new Counter({
    name: 'carat_requests_total',
    help: 'Answered requests, by operation and HTTP status; status "left" when the client left before the end of the answer',
    labelNames: ['operation', 'status'],
    registers: [register],
  });
  const duration = new Histogram({
    name: 'carat_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer, by operation; without streams of events',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: [register],
  });
  const faults = new Counter({
    name: 'carat_request_faults_total',
    help: 'Requests that were answered 5xx by a fault of this installation: not by a limit of streams or an outside issuer of tokens',
    registers: [register],
  });
  const streams = new Gauge({
    name: 'carat_event_streams_open',
    help: 'Open pages of buyers: streams of events of this process',
    registers: [register],
  });
  onMeasure('streams', ({ open }) => streams.set(open));
  const totals = new Map<string, Counter.Internal>();
  const durations = new Map<string, Histogram.Internal<'operation'>>();
  onMeasure('request', ({ operation, status, seconds, isStream, isFault }) => {
    const name = operation ?? NONE;
    const key = `${name} ${status}`;
    let one = totals.get(key);
    if (one === undefined) totals.set(key, (one = total.labels(name, String(status ?? 'left'))));
    one.inc();
    if (isFault) faults.inc();
    if (isStream) return;
    let own = durations.get(name);
    if (own === undefined) durations.set(name, (own = duration.labels(name)));
    own.observe(seconds);
  });
};
