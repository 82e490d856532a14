import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnyEvent } from '../../api/generated/openapi-types.ts';
import { verifyWebhook, WebhookError } from '../../client/webhook.ts';

/** The parts of an event that a shop needs. */
export interface Heard {
  readonly type: string;
  readonly sequence: number;
  readonly paymentId: string;
}

/** A merchant's server for webhooks. */
export interface Receiver {
  readonly origin: string;
  /** Accepts deliveries signed with this configuration's secret. */
  trust(signingSecret: string): void;
  /** A payment's events so far, each once, in the order of their sequences. */
  heardOf(paymentId: string): Heard[];
  close(): void;
}

/** Starts a receiver on a free port of this machine. It verifies and deduplicates deliveries. */
export const startReceiver = async (): Promise<Receiver> => {
  const secrets: string[] = [];
  const heard = new Map<string, Heard>();
  const take = ({ id, type, sequence, data }: AnyEvent): void => {
    if (sequence === null || !('payment' in data) || !('id' in (data.payment ?? {}))) return;
    const { id: paymentId } = data.payment as { id: string };
    heard.set(id, { type, sequence, paymentId });
  };
  /** Ignores tests, because their payments do not exist. */
  const answer = async (headers: http.IncomingHttpHeaders, body: Buffer): Promise<number> => {
    try {
      take(await verifyWebhook({ headers, body, secret: secrets }));
      return 204;
    } catch (error) {
      return error instanceof WebhookError && error.code === 'test' ? 204 : 401;
    }
  };
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      void answer(request.headers, Buffer.concat(parts)).then((status) => response.writeHead(status).end());
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
