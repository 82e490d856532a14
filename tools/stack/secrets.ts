import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeCredentials } from '../../api/auth/credentials.ts';

/** Secrets that the local stack keeps between starts, random for each clone. */
export interface DevSecrets {
  readonly postgresPassword: string;
  /** 32 bytes in base64. */
  readonly masterKey: string;
  readonly keystorePassphrase: string;
  /** Credentials of the admin integration; the database stores only a hash. */
  readonly admin: { api_key: string; secret: string };
}

const random = (): string => crypto.randomBytes(32).toString('base64url');

/** Reads the secrets of this clone; creates them at first. Only the owner can read the file. */
export const loadSecrets = (file: string): DevSecrets => {
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')) as DevSecrets;
  const { apiKey, secret } = makeCredentials();
  const secrets: DevSecrets = {
    postgresPassword: random(),
    masterKey: crypto.randomBytes(32).toString('base64'),
    keystorePassphrase: random(),
    admin: { api_key: apiKey, secret },
  };
  writeSecretFile(file, secrets);
  return secrets;
};

/** Writes JSON that only its owner can read, through a new file in the same folder. */
export const writeSecretFile = (file: string, content: unknown): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const fresh = `${file}.new`;
  fs.rmSync(fresh, { force: true });
  fs.writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  fs.renameSync(fresh, file);
};
