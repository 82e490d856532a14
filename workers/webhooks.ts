import type { WebhookActivityDeps } from '../activities/webhooks.ts';
import { checksum } from '../chain/pure/address.ts';
import type { connect } from '../db/connection.ts';
import type { Notifications } from '../db/outbox/notifications.ts';
import { createDeliveryStore } from '../db/webhooks/delivery-store.ts';
import { WebhookModel } from '../db/webhooks/webhooks.ts';
import { createAgents } from '../delivery/agent.ts';
import { createAttempt, createRenew } from '../delivery/attempt.ts';
import { createBodies } from '../delivery/bodies.ts';
import { createRetries } from '../delivery/retries.ts';
import { createSender } from '../delivery/sender.ts';
import type { Log } from '../domain/ports/log.ts';
import { signingSecretContext, type WebhookHosts } from '../domain/webhook.ts';
import { createEncryption } from '../encryption.ts';
import type { Profile } from '../workflows/messages.ts';

/** What calls merchants in one process. */
export interface WebhookDeps {
  readonly knex: ReturnType<typeof connect>;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly masterKey: Uint8Array;
  readonly webhookHosts: WebhookHosts;
  readonly profile: Profile;
}

/**
 * An API with another master key than before does not start; nor shall a worker, whose attempts would all fail.
 * @throws DecryptionError
 */
export const assertMasterKey = async ({ knex, masterKey }: Pick<WebhookDeps, 'knex' | 'masterKey'>): Promise<void> => {
  const newest = await WebhookModel.query(knex).live().orderBy('created_at', 'desc').first();
  const secret = newest?.sealed_signing_secret;
  if (newest !== undefined && secret != null)
    createEncryption(masterKey).decrypt(signingSecretContext(newest.id), secret);
};

/** How often is looked for what lies about, in milliseconds. */
const tidyMs: Record<Profile, number> = { production: 30_000, test: 2_000 };

/** Puts sender and retries together. They share connections, and know what the other one has under way. */
export const createWebhookParts = (deps: WebhookDeps): Omit<WebhookActivityDeps, 'stopping'> => {
  const { knex, notifications, log, masterKey, webhookHosts: hosts, profile } = deps;
  const agents = createAgents({ hosts });
  const store = createDeliveryStore(knex);
  const bodies = createBodies({ store, checksum, log });
  const shared = {
    store,
    attempt: createAttempt({
      agents,
      bodies,
      renew: createRenew(store),
      encryption: createEncryption(masterKey),
      profile,
    }),
    underWay: new Set<string>(),
    log,
  };
  const sender = createSender({ ...shared, tidyMs: tidyMs[profile] });
  return {
    runSender: async (run) => {
      const notified = notifications.source({ carat_webhook: null });
      try {
        await sender({ ...run, notified });
      } finally {
        notified.close();
      }
    },
    runRetries: createRetries(shared),
  };
};
