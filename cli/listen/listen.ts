import { randomBytes, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { endListening, listenEverywhere, relayOrigins, type Relay } from '../../db/webhooks/listening.ts';
import type { NewWebhook } from '../../db/webhooks/webhooks.ts';
import { isUuid } from '../../domain/tools/is-uuid.ts';
import { repeat } from '../../domain/tools/repeat.ts';
import { succeeds } from '../../domain/tools/succeeds.ts';
import { credentialsContext, optionalEvents, signingSecretContext } from '../../domain/webhook.ts';
import { createEncryption, type Encryption } from '../../runtime/encryption.ts';
import { defineCommand, UsageError } from '../command/command.ts';
import { withDatabase, type Database } from '../command/database.ts';
import { startRelay } from './relay.ts';

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
    const { values } = parseArgs({ args: [...args], options });
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
