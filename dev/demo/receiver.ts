import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What Carat tells of a payment, as far as a shop needs it. */
export interface Heard {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly paymentId: string;
  readonly status: string;
}

/** A merchant's server that webhooks are sent to. */
export interface Receiver {
  readonly origin: string;
  /** Believes what is signed with this secret of a configuration. */
  trust(signingSecret: string): void;
  /** What was told of a payment so far, each event once, in the order of its sequences. */
  heardOf(paymentId: string): Heard[];
  close(): void;
}

/** Seconds that a signature may be old: what somebody recorded can not be sent again later. */
const TOLERANCE_S = 300;

/** True when one of the signatures is that of the body by one of the secrets (Standard Webhooks, `v1`). */
const isSigned = (headers: http.IncomingHttpHeaders, body: Buffer, secrets: readonly string[]): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(at)) > TOLERANCE_S) return false;
  const signatures = String(given).split(' ');
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = Buffer.from(
      `v1,${createHmac('sha256', key)
        .update(`${String(id)}.${String(at)}.`)
        .update(body)
        .digest('base64')}`,
    );
    return signatures.some((signature) => {
      const own = Buffer.from(signature);
      return own.length === expected.length && timingSafeEqual(own, expected);
    });
  });
};

/** Starts a receiver on a free port of this machine: verifies each delivery, and takes what comes twice once. */
export const startReceiver = async (): Promise<Receiver> => {
  const secrets: string[] = [];
  const heard = new Map<string, Heard>();
  const take = (body: Buffer): void => {
    const { id, type, sequence, data } = JSON.parse(body.toString('utf8')) as Pick<
      Heard,
      'id' | 'type' | 'sequence'
    > & {
      data: { payment: { id: string; status: string } | null };
    };
    if (data.payment === null) return;
    heard.set(id, { id, type, sequence, paymentId: data.payment.id, status: data.payment.status });
  };
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const isGenuine = isSigned(request.headers, body, secrets);
      if (isGenuine) take(body);
      response.writeHead(isGenuine ? 204 : 401).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trust: (secret) => void secrets.push(secret),
    heardOf: (paymentId) =>
      [...heard.values()].filter((one) => one.paymentId === paymentId).sort((a, b) => a.sequence - b.sequence),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
