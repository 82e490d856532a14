import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { endListening, listenEverywhere, relayOrigins, type Relay } from '../db/webhooks/listening.ts';
import type { NewWebhook } from '../db/webhooks/webhooks.ts';
import { isUuid } from '../domain/tools/is-uuid.ts';
import { repeat } from '../domain/tools/repeat.ts';
import { succeeds } from '../domain/tools/succeeds.ts';
import { credentialsContext, optionalEvents, signingSecretContext } from '../domain/webhook.ts';
import { createEncryption, type Encryption } from '../runtime/encryption.ts';
import { defineCommand, UsageError, readOptions } from './command/command.ts';
import { withDatabase, type Database } from './command/database.ts';

/** Maximum size of an event or a response, in bytes. */
const MAX_BYTES = 1_048_576;
/** Timeout of a response, in milliseconds: a little less than the sender's. */
const PATIENCE_MS = 14_000;

/** The headers of an attempt that a receiver needs. */
const passed = ['content-type', 'user-agent', 'authorization', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

interface RelayServer {
  readonly origin: string;
  close(): Promise<void>;
}

const read = async (request: http.IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new RangeError('a body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Describes an event in one line. */
const describe = (body: Buffer): string => {
  const { type, sequence, data } = JSON.parse(body.toString()) as {
    readonly type: string;
    readonly sequence: number | null;
    readonly data: { readonly payment: { readonly external_id: string; readonly status: string } | null };
  };
  const { payment } = data;
  const line = payment === null ? type : `${type} ${payment.external_id} ${payment.status} (${String(sequence)})`;
  // A merchant's text must not send control characters to the terminal.
  return line.replace(/\p{Cc}/gu, '\uFFFD');
};

const forward = async (url: string, { headers }: http.IncomingMessage, body: Buffer) => {
  const own = passed.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as const] : []));
  const response = await fetch(url, {
    method: 'POST',
    headers: Object.fromEntries(own),
    body: new Uint8Array(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const retryAfter = response.headers.get('retry-after');
  const content = Buffer.from(await response.arrayBuffer()).subarray(0, MAX_BYTES);
  return { status: response.status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter }, content };
};

/**
 * Starts a server on this machine that relays events to a receiver, byte for byte, and its responses back.
 * @param tell receives a line for each event
 */
const startRelay = async (url: string, tell: (line: string) => void): Promise<RelayServer> => {
  const take = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await read(request);
    const event = describe(body);
    try {
      const { status, headers, content } = await forward(url, request, body);
      tell(`${new Date().toISOString()} ${event}: ${status}`);
      response.writeHead(status, headers).end(content);
    } catch (error) {
      const { cause, message } = error as Error;
      tell(`${new Date().toISOString()} ${event}: no response, ${(cause as Error | undefined)?.message || message}`);
      response.writeHead(502).end();
    }
  };
  const server = http.createServer((request, response) => {
    // Only requests that are no events fail here.
    take(request, response).catch(() => response.writeHead(400).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

/** Path of all relay configurations. */
const PATH = '/carat-listen';
/** Milliseconds between two checks for new wallets. */
const LOOK_MS = 1_000;

const readUrl = (text: string | undefined): string => {
  if (text === undefined || !URL.canParse(text) || !/^https?:/.test(text)) {
    throw new UsageError('--forward and the URL of a receiver are needed');
  }
  return text;
};

const readWallet = (text: string | undefined): string | null => {
  if (text === undefined || isUuid(text)) return text ?? null;
  throw new UsageError('--wallet needs the id of a wallet');
};

/** Creates a function that makes configurations with a shared secret. */
const createMaker =
  ({ encrypt }: Encryption, { origin, path }: Relay, secret: string) =>
  (place: Pick<NewWebhook, 'wallet_id' | 'network_id'>): NewWebhook => {
    const id = randomUUID();
    const credentials = { type: 'token', token: randomBytes(24).toString('base64url') };
    return {
      ...place,
      id,
      node_id: null,
      host: origin,
      success_path: path,
      error_path: path,
      auth_type: 'token',
      encrypted_credentials: encrypt(credentialsContext(id), JSON.stringify(credentials)),
      encrypted_signing_secret: encrypt(signingSecretContext(id), secret),
      events: [...optionalEvents],
      is_active: true,
    };
  };

/** Removes the configurations that a killed call left behind. Similar ones on other hosts belong to merchants. */
const endDead = async (knex: Database): Promise<void> => {
  const origins = await relayOrigins(knex, PATH);
  for (const origin of origins.filter((one) => one.startsWith('http://127.0.0.1:'))) {
    const isThere = await succeeds(fetch(origin, { redirect: 'manual', signal: AbortSignal.timeout(LOOK_MS) }));
    if (!isThere) await endListening(knex, { origin, path: PATH });
  }
};

/** Repeats `look` until the process is asked to stop. */
const untilStopped = async (look: () => Promise<void>): Promise<void> => {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, end);
  await repeat(look, { signal: stop.signal, everyMs: LOOK_MS });
};

/** Forwards the events of a stack on this machine to a receiver under development. */
export const listen = defineCommand({
  config: ['databaseUrl', 'masterKey', 'webhookHosts'],
  run: async ({ args, config, print, report }) => {
    const options = { forward: { type: 'string' }, wallet: { type: 'string' } } as const;
    const { values } = readOptions(args, options);
    const url = readUrl(values.forward);
    const walletId = readWallet(values.wallet);
    if (config.webhookHosts !== 'loopback') {
      throw new Error('webhooks to this machine are off: the stack needs CARAT_WEBHOOK_HOSTS=loopback');
    }
    await withDatabase(config, async (knex) => {
      if (walletId !== null && (await knex('wallets').where({ id: walletId, deleted_at: null })).length === 0) {
        throw new Error(`the wallet ${walletId} does not exist`);
      }
      await endDead(knex);
      const server = await startRelay(url, print);
      const relay: Relay = { origin: server.origin, path: PATH, walletId };
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      const make = createMaker(createEncryption(config.masterKey), relay, secret);
      print(`Events go to ${url}, signed with ${secret}`);
      report('Press Ctrl-C to stop');
      try {
        await untilStopped(async () => void (await listenEverywhere(knex, relay, make)));
      } finally {
        try {
          await endListening(knex, relay);
        } finally {
          await server.close();
        }
      }
    });
  },
});
