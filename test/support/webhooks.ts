import { randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { credentialsContext, signingSecretContext, type WebhookCredentials } from '../../domain/webhook.ts';
import { createEncryption } from '../../runtime/encryption.ts';
import type { World } from './fixtures.ts';

/** Of all rows that tests make. */
export const testEncryption = createEncryption(new Uint8Array(32).fill(5));

/** A signing secret as the API makes them. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export interface WebhookOptions {
  readonly events?: readonly string[];
  readonly nodeId?: string | null;
  readonly isActive?: boolean;
  readonly credentials?: WebhookCredentials;
  readonly secret?: string;
  readonly failingSince?: Date;
}

/** A configuration of the world's wallet, as the API stores it; answers its id. */
export const createWebhookRow = async (
  knex: Knex,
  world: World,
  host: string,
  options: WebhookOptions = {},
): Promise<string> => {
  const id = randomUUID();
  const credentials = options.credentials ?? { type: 'token', token: 'of the merchant' };
  await knex('webhook_configurations').insert({
    id,
    wallet_id: world.walletId,
    network_id: world.networkId,
    node_id: options.nodeId ?? null,
    host,
    success_path: '/paid',
    error_path: '/unpaid',
    auth_type: credentials.type,
    encrypted_credentials: testEncryption.encrypt(credentialsContext(id), JSON.stringify(credentials)),
    encrypted_signing_secret: testEncryption.encrypt(signingSecretContext(id), options.secret ?? newSecret()),
    events: [...(options.events ?? [])],
    is_active: options.isActive ?? true,
    failing_since: options.failingSince ?? null,
  });
  return id;
};
