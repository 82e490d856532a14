import { Gauge, type Registry } from 'prom-client';
import { onMeasure } from '../runtime/measures.ts';

/** Shows the differences between this process's clock, the database's, and those of servers elsewhere. */
export const showClock = (register: Registry): void => {
  const ahead = new Gauge({
    name: 'carat_clock_ahead_seconds',
    help: "Seconds by which this process's clock is ahead of the database's",
    registers: [register],
  });
  onMeasure('clock', ({ aheadMs }) => ahead.set(aheadMs / 1_000));
  const outside = new Gauge({
    name: 'carat_clock_ahead_of_outside_seconds',
    help: "Seconds by which this process's clock is ahead of those of most RPC endpoints; missing without two of different providers",
    registers: [register],
  });
  outside.remove();
  onMeasure('outsideClock', ({ aheadMs }) => (aheadMs === null ? outside.remove() : outside.set(aheadMs / 1_000)));
};

/** Shows how long certificates are still valid. */
export const showCertificates = (register: Registry): void => {
  const left = new Gauge({
    name: 'carat_certificate_seconds_left',
    help: 'Time until the end of a certificate; below 0 since its end; only certificates that could be read',
    labelNames: ['certificate'],
    registers: [register],
  });
  const readable = new Gauge({
    name: 'carat_certificate_readable',
    help: '1 if the last look could read the certificate at all addresses of its server, else 0',
    labelNames: ['certificate'],
    registers: [register],
  });
  onMeasure('certificate', ({ of: certificate, secondsLeft, isWhole }) => {
    readable.set({ certificate }, Number(isWhole));
    if (secondsLeft === null) left.remove({ certificate });
    else left.set({ certificate }, secondsLeft);
  });
};
