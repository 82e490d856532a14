import { randomUUID } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS, createAccessTokens } from '../../../api/auth/access-tokens.ts';
import { createKeyRing, keepKeysFresh, makeTokenKey } from '../../../api/auth/key-ring.ts';
import { createWidgetTokens } from '../../../api/auth/widget-tokens.ts';
import { connect } from '../../../db/connection.ts';
import { listAllTokenKeys, retireTokenKey, rotateTokenKey, type KeyPurpose } from '../../../db/auth/token-keys.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { createTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const { url } = await createTestDatabase();
const knex = connect(url, { pool: 10 });
const masterKey = new Uint8Array(32).fill(5);
const bearer = { integrationId: randomUUID(), nodeId: randomUUID(), permissions: [] };
afterAll(() => knex.destroy());
beforeEach(() => knex('token_keys').delete());

/** The default of `carat keys rotate`. */
const usual = { signsInSeconds: 60, retireAfterSeconds: ACCESS_TOKEN_SECONDS + 300 };
const rotate = (purpose: KeyPurpose, rotation: Parameters<typeof rotateTokenKey>[2]) =>
  rotateTokenKey(knex, makeTokenKey(masterKey, purpose), rotation);

/** An api process with a clock of its own, which runs as the test says. */
const startProcess = async (clock: () => number) => {
  const keyRing = await createKeyRing({ knex, masterKey, now: clock });
  const tokens = createAccessTokens({ keyRing, issuer: 'https://pay.test', now: clock });
  return { keyRing, tokens, widgetTokens: createWidgetTokens(keyRing) };
};

describe('a rotation', () => {
  it('refuses no token at any moment, though two processes read at different times by different clocks', async () => {
    const begun = Date.now();
    let seconds = 0;
    const clock = () => begun + seconds * 1_000;
    // The second process is three seconds behind and looks at other times.
    const first = await startProcess(clock);
    const second = await startProcess(() => clock() - 3_000);
    const alive: { token: string; end: number }[] = [];
    const signers = new Set<string>();
    let judged = 0;
    let rotated = 0;
    for (; seconds < 3_600; seconds += 1) {
      if (seconds % 5 === 0) await first.keyRing.refresh();
      if (seconds % 5 === 3) await second.keyRing.refresh();
      // Rotations count from the time of the database, which stands still beside this clock.
      if (seconds === 0 || seconds === 1_000 || seconds === 1_030) {
        await rotate('access', { ...usual, signsInSeconds: seconds + 60 });
        rotated += 1;
      }
      if (seconds % 20 > 1) continue;
      for (const [issuer, verifier] of [
        [first, second],
        [second, first],
      ] as const) {
        const token = await issuer.tokens.issue(bearer);
        signers.add(issuer.keyRing.access()[0]!.kid);
        await verifier.tokens.verify(token);
        alive.push({ token, end: seconds + ACCESS_TOKEN_SECONDS - 10 });
        judged += 1;
      }
      if (seconds % 60 !== 0) continue;
      for (const { token } of alive.filter(({ end }) => end > seconds)) {
        const fresh = { now: clock, issuer: 'https://pay.test' };
        // Forgets a verified token, so that its key is needed.
        await createAccessTokens({ ...fresh, keyRing: first.keyRing }).verify(token);
        await createAccessTokens({ ...fresh, keyRing: second.keyRing }).verify(token);
        judged += 2;
      }
    }
    expect(rotated).toBe(3);
    expect(judged).toBeGreaterThan(3_000);
    expect(signers.size).toBe(4);
    // The old keys have ended by themselves.
    expect(first.keyRing.access().map((key) => key.kid)).toEqual([first.keyRing.access()[0]!.kid]);
    expect((await listAllTokenKeys(knex)).filter((key) => key.purpose === 'access')).toHaveLength(4);
  });

  it('is learnt in time by a process whose clock was set back', async () => {
    let aheadMs = 600_000;
    const { keyRing } = await startProcess(() => Date.now() + aheadMs);
    aheadMs = 0;
    const { kid } = await rotate('access', usual);
    await keyRing.refresh();
    expect(keyRing.access().map((key) => key.kid)).toContain(kid);
  });

  it('publishes a key before it signs, and lets a later rotation replace the plan of an earlier one', async () => {
    let time = Date.now();
    const { keyRing } = await startProcess(() => time);
    const kids = () => keyRing.access().map((key) => key.kid);
    const [old] = kids();
    const late = await rotate('access', { ...usual, signsInSeconds: 3_600 });
    time += 5_000;
    await keyRing.refresh();
    expect(kids()).toEqual([old, late.kid]);
    const soon = await rotate('access', usual);
    time += 5_000;
    await keyRing.refresh();
    expect(kids()).toEqual([old, soon.kid, late.kid]);
    time += 60_000;
    expect(kids()).toEqual([soon.kid, late.kid, old]);
    expect((await listAllTokenKeys(knex)).find((key) => key.kid === soon.kid)?.retired_at).toBeNull();
    // The rotation that came later has replaced the first key and the one that was planned.
    time += 1_200_000;
    expect(kids()).toEqual([soon.kid]);
  });

  it('leaves tokens of payments valid until their key is retired by hand', async () => {
    let time = Date.now();
    const { keyRing, widgetTokens } = await startProcess(() => time);
    const [old] = keyRing.widget();
    const payment = randomUUID();
    const token = widgetTokens.issue(payment);
    const added = await rotate('widget', { signsInSeconds: 0, retireAfterSeconds: null });
    time += 100_000_000;
    await keyRing.refresh();
    expect(widgetTokens.issue(payment)).toMatch(new RegExp(`^wt_${added.kid}_`));
    expect(await widgetTokens.matches(token, payment)).toBe(true);
    expect(await retireTokenKey(knex, old!.kid)).toBe('retired');
    time += 5_000;
    await keyRing.refresh();
    expect(await widgetTokens.matches(token, payment)).toBe(false);
    expect(await widgetTokens.matches(widgetTokens.issue(payment), payment)).toBe(true);
  });
});

describe('a retired key', () => {
  it('opens nothing in a process with fresh keys, and the signing key cannot be retired', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
    const { keyRing, tokens } = await startProcess(Date.now);
    const freshKeys = keepKeysFresh({ keyRing, everyMs: 50, log });
    const token = await tokens.issue(bearer);
    const [old] = keyRing.access();
    expect(await retireTokenKey(knex, old!.kid)).toBe('needed');
    const planned = await rotate('access', { ...usual, signsInSeconds: 60 });
    expect(await retireTokenKey(knex, old!.kid)).toBe('needed');
    const added = await rotate('access', { ...usual, signsInSeconds: 0 });
    await eventually(() => keyRing.access()[0]?.kid === added.kid);
    await expect(tokens.verify(token)).resolves.toMatchObject({ integrationId: bearer.integrationId });
    expect(await retireTokenKey(knex, old!.kid)).toBe('retired');
    expect(await retireTokenKey(knex, planned.kid)).toBe('retired');
    await eventually(() => keyRing.access().length === 1);
    await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await retireTokenKey(knex, old!.kid)).toBe('unknown');
    expect(await retireTokenKey(knex, 'nothing')).toBe('unknown');
    expect(lines).toEqual([]);
    freshKeys.stop();
  });

  it('that cannot be read again is reported in the log, and the present keys stay valid', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
    const { keyRing, tokens } = await startProcess(Date.now);
    const freshKeys = keepKeysFresh({ keyRing, everyMs: 50, log });
    await rotateTokenKey(knex, makeTokenKey(new Uint8Array(32), 'access'), usual);
    await eventually(() => lines.length > 0);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      message: 'The token keys cannot be refreshed',
      error: 'DecryptionError',
      reason: expect.stringMatching(/^The master key cannot decrypt token key access /) as unknown,
    });
    await expect(tokens.verify(await tokens.issue(bearer))).resolves.toMatchObject({ nodeId: bearer.nodeId });
    freshKeys.stop();
  });
});
