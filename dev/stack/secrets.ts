import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeCredentials } from '../../api/auth/credentials.ts';

/** What the local stack keeps secret between starts. Made at random for each clone. */
export interface DevSecrets {
  readonly postgresPassword: string;
  /** 32 bytes in base64. */
  readonly masterKey: string;
  readonly keystorePassphrase: string;
  /** Credentials of the admin integration, which stores only a hash of them. */
  readonly admin: { api_key: string; secret: string };
}

const random = (): string => crypto.randomBytes(32).toString('base64url');

/** Reads the secrets of this clone, or makes them the first time. The file is readable by its owner only. */
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

/** Writes JSON that only its owner may read, by way of a new file in the same folder. */
export const writeSecretFile = (file: string, content: unknown): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const fresh = `${file}.new`;
  fs.rmSync(fresh, { force: true });
  fs.writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  fs.renameSync(fresh, file);
};
