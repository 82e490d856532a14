import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { root } from '../../tools/paths.ts';
import { freePorts } from '../../tools/process/ports.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { sign } from '../../delivery/send.ts';
import { eventually } from '../support/eventually.ts';
import { samplesOf } from '../support/samples.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;

/** Runs the receiver of the documents as it is written there. */
const startSample = async () => {
  const sample = samplesOf('docs/operations/webhooks.md').find(({ name }) => name.endsWith(' js 1'))!;
  const [port] = await freePorts(1);
  const env = { ...process.env, SIGNING_SECRET: secret, PORT: String(port) };
  const child = spawn(process.execPath, ['--input-type=module', '-e', sample.text], { cwd: root, env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = `http://127.0.0.1:${port}/carat`;
  await eventually(async () => (await fetch(url).catch(() => null))?.status === 401);
  return {
    url,
    lines: () => output.trim().split('\n'),
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
};

it('the receiver of docs/operations/webhooks.md verifies events, and ignores lower sequences', async () => {
  const sample = await startSample();
  const payment = { id: randomUUID(), external_id: 'order-1', status: '' };
  const send = async (sequence: number | null, status: string, secrets = [secret], at = Date.now(), more = {}) => {
    const id = randomUUID();
    const body = JSON.stringify({
      id,
      type: sequence === null ? 'webhook.test' : `payment.${status}`,
      sequence,
      data: { payment: sequence === null ? null : { ...payment, status } },
      ...more,
    });
    const timestamp = String(Math.floor(at / 1_000));
    const signature = sign(secrets, { id, timestamp, body });
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    if (secrets.includes(secret) && at > Date.now() - 1_000) new Webhook(secret).verify(body, headers);
    return (await fetch(sample.url, { method: 'POST', headers, body })).status;
  };
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  try {
    expect(await send(3, 'processing')).toBe(204);
    expect(await send(1, 'created')).toBe(204);
    expect(await send(3, 'processing')).toBe(204);
    // While a secret is rotated there are two signatures.
    expect(await send(4, 'completed', [other, secret])).toBe(204);
    expect(await send(null, '')).toBe(204);
    expect(await send(9, 'completed', [secret], Date.now(), { test: true })).toBe(204);
    expect(await send(5, 'reversed', [other])).toBe(401);
    expect(await send(5, 'reversed', [secret], Date.now() - 600_000)).toBe(401);
    expect(sample.lines()).toEqual([
      'order-1: payment.processing, processing',
      'order-1: payment.completed, completed',
    ]);
  } finally {
    await sample.stop();
  }
});
