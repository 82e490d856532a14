import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** What the local stack keeps secret between starts. Made at random for each clone. */
export interface DevSecrets {
  postgresPassword: string;
  /** 32 bytes in base64. */
  masterKey: string;
  keystorePassphrase: string;
  /** The admin integration, once there is one. */
  admin?: { api_key: string; secret: string };
}

const random = (): string => crypto.randomBytes(32).toString('base64url');

/** Reads the secrets of this clone, or makes them the first time. The file is readable by its owner only. */
export function loadSecrets(file: string): DevSecrets {
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')) as DevSecrets;
  const secrets = {
    postgresPassword: random(),
    masterKey: crypto.randomBytes(32).toString('base64'),
    keystorePassphrase: random(),
  };
  saveSecrets(file, secrets);
  return secrets;
}

/** Writes the secrets as a whole, so that a kill leaves the old or the new file. */
export function saveSecrets(file: string, secrets: DevSecrets): void {
  writeSecretFile(file, secrets);
}

/** Writes JSON that only its owner may read, by way of a new file in the same folder. */
export function writeSecretFile(file: string, content: unknown): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const fresh = `${file}.new`;
  fs.rmSync(fresh, { force: true });
  fs.writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  fs.renameSync(fresh, file);
}
