import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { findIntegrationByKey, markUsed, type IntegrationModel } from '../../db/integrations/integrations.ts';

/** An api_key with its secret in clear. It exists in memory only, to be shown once. */
export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
}

/** Random credentials; the secret has 256 bits. */
export const makeCredentials = (): Credentials => ({
  apiKey: `ck_${randomBytes(16).toString('base64url')}`,
  secret: `cs_${randomBytes(32).toString('base64url')}`,
});

/** A random secret of 256 bits can not be guessed, so a fast hash keeps it as well as a slow one. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Credentials as they are stored. */
export const storedCredentials = ({ apiKey, secret }: Credentials) => ({
  api_key: apiKey,
  secret_hash: hashSecret(secret),
});

const noSecret = hashSecret(randomBytes(32).toString('base64url'));

/**
 * The live integration of these credentials, marked as used now; null if there is none. After a rotation the secret before
 * it counts too, until its overlap ends. Both are always compared, and an unknown api_key
 * costs the same work as a wrong secret.
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
  // The statement judges again, because the secret may have been rotated or the integration revoked meanwhile.
  return (await markUsed(knex, integration.id, given)) ? integration : null;
};
