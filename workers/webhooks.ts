import type { WebhookActivityDeps } from '../activities/runs.ts';
import { checksum } from '../chain/pure/address.ts';
import type { connect } from '../db/connection.ts';
import type { Notifications } from '../db/outbox/notifications.ts';
import { createDeliveryStore } from '../db/webhooks/delivery-store.ts';
import { WebhookModel } from '../db/webhooks/webhooks.ts';
import { createRenew } from '../delivery/attempt.ts';
import { createRetries } from '../delivery/retries.ts';
import { createSender } from '../delivery/sender.ts';
import { createSending } from '../delivery/sending.ts';
import type { Log } from '../domain/ports/log.ts';
import { signingSecretContext, type WebhookHosts } from '../domain/webhook.ts';
import { createEncryption } from '../runtime/encryption.ts';
import type { Profile } from '../workflows/messages.ts';

export interface WebhookRunDeps {
  readonly knex: ReturnType<typeof connect>;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly masterKey: Uint8Array;
  readonly webhookHosts: WebhookHosts;
  readonly profile: Profile;
}

/**
 * Refuses another master key than the one of stored secrets, as the api does: all attempts of the worker would fail.
 * @throws DecryptionError
 */
export const assertMasterKey = async ({
  knex,
  masterKey,
}: Pick<WebhookRunDeps, 'knex' | 'masterKey'>): Promise<void> => {
  const newest = await WebhookModel.query(knex).live().orderBy('created_at', 'desc').first();
  const secret = newest?.encrypted_signing_secret;
  if (newest !== undefined && secret != null)
    createEncryption(masterKey).decrypt(signingSecretContext(newest.id), secret);
};

/** Cleanup interval in milliseconds. */
const tidyMs: Record<Profile, number> = { production: 30_000, test: 2_000 };

/** Creates the sender and the retries. They share connections, and each knows the other's deliveries in flight. */
export const createWebhookParts = (deps: WebhookRunDeps): Omit<WebhookActivityDeps, 'stopping'> => {
  const { knex, notifications, profile } = deps;
  const store = createDeliveryStore(knex);
  const shared = { ...createSending({ ...deps, store, checksum, renew: createRenew(store) }), store };
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
