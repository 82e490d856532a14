import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { findIntegrationByKey, markUsed, type IntegrationModel } from '../../db/integrations/integrations.ts';

/** An api_key with its secret in clear text. It exists in memory only and is shown once. */
export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}

/** Random credentials; the secret has 256 bits. */
export const makeCredentials = (): Credentials => ({
  apiKey: `ck_${randomBytes(16).toString('base64url')}`,
  secret: `cs_${randomBytes(32).toString('base64url')}`,
});

/** Hashes a secret. A fast hash is enough, because a random secret of 256 bits cannot be guessed. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Credentials as they are stored. */
export const storedCredentials = ({ apiKey, secret }: Credentials) => ({
  api_key: apiKey,
  secret_hash: hashSecret(secret),
});

const noSecret = hashSecret(randomBytes(32).toString('base64url'));

/**
 * Finds the live integration of these credentials and marks it as used now; null if none matches. After a rotation the
 * previous secret is valid too, until its overlap ends. Both secrets are always compared, and an unknown api_key costs
 * the same work as a wrong secret.
 */
export const findByCredentials = async (
  knex: Knex,
  { apiKey, secret }: Credentials,
): Promise<IntegrationModel | null> => {
  const integration = await findIntegrationByKey(knex, apiKey);
  const given = hashSecret(secret);
  const isCurrent = timingSafeEqual(integration?.secret_hash ?? noSecret, given);
  const isPrevious = timingSafeEqual(integration?.previous_secret_hash ?? noSecret, given);
  if (integration === undefined || !(isCurrent || isPrevious)) return null;
  // The statement checks again, because the secret may have been rotated or the integration revoked meanwhile.
  return (await markUsed(knex, integration.id, given)) ? integration : null;
};
