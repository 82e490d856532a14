import { watchMs } from '../../api/service/watch.ts';
import { loadConfig } from '../../runtime/config.ts';
import { OPERATOR_POLL_MS } from '../../delivery/operator.ts';
import { beatMs } from '../../outbox/sign-of-life.ts';
import { TEMPORAL_MS } from '../../outbox/temporal-client.ts';

it('by the defaults an operator gets an alert about a silence within 50 seconds, as docs/operations/status.md says', () => {
  const { silenceSeconds } = loadConfig({}, ['silenceSeconds']);
  const worst = silenceSeconds * 1_000 + beatMs.production + TEMPORAL_MS + watchMs.production + OPERATOR_POLL_MS;
  expect(worst).toBeLessThan(50_000);
});
