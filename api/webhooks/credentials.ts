import { randomBytes } from 'node:crypto';
import { invalidRequest, type FieldError } from '../../domain/errors.ts';
import {
  credentialsContext,
  signingSecretContext,
  type WebhookAuthType,
  type WebhookCredentials,
} from '../../domain/webhook.ts';
import type { Encryption } from '../../encryption.ts';

/** The fields of a request that say how Carat proves who it is. Null counts as absent. */
export interface CredentialFields {
  readonly auth_basic_username?: string | null;
  readonly auth_basic_password?: string | null;
  readonly auth_token?: string | null;
}

const fieldsOf = {
  basic: ['auth_basic_username', 'auth_basic_password'],
  token: ['auth_token'],
} as const satisfies Record<WebhookAuthType, (keyof CredentialFields)[]>;

const otherType = { basic: 'token', token: 'basic' } as const;

/** Refuses credentials of the type that is not used, instead of dropping them silently. */
export const refuseForeignCredentials = (type: WebhookAuthType, fields: CredentialFields): void => {
  const other = otherType[type];
  const foreign = fieldsOf[other].filter((name) => fields[name] != null);
  if (foreign.length === 0) return;
  throw invalidRequest(
    ...foreign.map((name) => ({ path: `/body/${name}`, message: `is only for auth_type ${other}` })),
  );
};

/** True when the request brings credentials of any type. */
export const hasCredentials = (fields: CredentialFields): boolean =>
  [...fieldsOf.basic, ...fieldsOf.token].some((name) => fields[name] != null);

/**
 * The credentials of a configuration after a request.
 * @param current what is kept where the request says nothing; null when there is nothing of this type to keep
 * @throws DomainError invalid_request when one is missing, or belongs to the other type
 */
export const readCredentials = (
  type: WebhookAuthType,
  fields: CredentialFields,
  current: WebhookCredentials | null,
): WebhookCredentials => {
  refuseForeignCredentials(type, fields);
  const kept = current?.type === 'basic' ? current : null;
  const username = fields.auth_basic_username ?? kept?.username;
  const password = fields.auth_basic_password ?? kept?.password;
  const token = fields.auth_token ?? (current?.type === 'token' ? current.token : undefined);
  if (type === 'token' && token !== undefined) return { type, token };
  if (type === 'basic' && username !== undefined && password !== undefined) return { type, username, password };
  const values = { auth_basic_username: username, auth_basic_password: password, auth_token: token };
  const missing = fieldsOf[type].filter((name) => values[name] === undefined);
  throw invalidRequest(
    ...missing.map((name): FieldError => ({ path: `/body/${name}`, message: `is required for auth_type ${type}` })),
  );
};

/** Encrypts the credentials of one configuration; they can be read for no other. */
export const encryptCredentials = (
  encryption: Encryption,
  webhookId: string,
  credentials: WebhookCredentials,
): Buffer => encryption.encrypt(credentialsContext(webhookId), JSON.stringify(credentials));

/** Opens what `encryptCredentials` made for this configuration. */
export const decryptCredentials = (
  encryption: Encryption,
  webhookId: string,
  encrypted: Uint8Array,
): WebhookCredentials => JSON.parse(encryption.decrypt(credentialsContext(webhookId), encrypted)) as WebhookCredentials;

/** A secret of 256 random bits in the form of Standard Webhooks, with its encrypted copy. */
export const makeSigningSecret = (encryption: Encryption, webhookId: string): { secret: string; encrypted: Buffer } => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return { secret, encrypted: encryption.encrypt(signingSecretContext(webhookId), secret) };
};
