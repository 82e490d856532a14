import { randomBytes } from 'node:crypto';
import { invalidRequest, type FieldError } from '../../domain/errors.ts';
import {
  credentialsContext,
  signingSecretContext,
  type WebhookAuthType,
  type WebhookCredentials,
} from '../../domain/webhook.ts';
import type { Encryption } from '../../runtime/encryption.ts';

/** Fields of a request with the credentials that Carat sends to the merchant. Null counts as absent. */
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

/** Refuses credentials of the unused type instead of dropping them silently. */
export const refuseForeignCredentials = (type: WebhookAuthType, fields: CredentialFields): void => {
  const other = otherType[type];
  const foreign = fieldsOf[other].filter((name) => fields[name] != null);
  if (foreign.length === 0) return;
  throw invalidRequest(
    ...foreign.map((name) => ({ path: `/body/${name}`, message: `is only for auth_type ${other}` })),
  );
};

/** True when the request has credentials of any type. */
export const hasCredentials = (fields: CredentialFields): boolean =>
  [...fieldsOf.basic, ...fieldsOf.token].some((name) => fields[name] != null);

/**
 * Returns the credentials of a configuration after a request.
 * @param current the stored credentials, kept where the request has none; null when nothing of this type is stored
 * @throws DomainError invalid_request when a credential is missing, or belongs to the other type
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

/** Encrypts the credentials of a configuration; no other configuration can decrypt them. */
export const encryptCredentials = (
  encryption: Encryption,
  webhookId: string,
  credentials: WebhookCredentials,
): Buffer => encryption.encrypt(credentialsContext(webhookId), JSON.stringify(credentials));

/** Decrypts the result of `encryptCredentials` for the same configuration. */
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
