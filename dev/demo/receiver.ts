import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

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

/** True when the body is signed, a moment ago, by one of the secrets. */
const isSigned = (headers: http.IncomingHttpHeaders, body: Buffer, secrets: readonly string[]): boolean =>
  secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  });

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
