import fs from 'node:fs';
import { writeSecretFile } from './secrets.ts';

/** What `.carat/dev.json` tells scripts about the stack that runs. */
export interface DevFile {
  /** Origin of the api, without `/api/v1`. */
  api: string;
  docs: string;
  temporal: { address: string; namespace: string; ui: string };
  /** Connection URL with its password. */
  database: string;
  admin: { api_key: string; secret: string };
  nodes: Record<string, string>;
  chains: Record<string, string>;
  networks: Record<string, { id: string; chain_id: string; eip155: number; rpc: string }>;
  currencies: Record<string, { id: string; tokens: Record<string, { address: string | null; decimals: number }> }>;
  buyer: { address: string; private_key: string };
  pids: Record<string, number>;
}

/** Writes the file as a whole, readable by its owner only. */
export function writeDevFile(file: string, content: DevFile): void {
  writeSecretFile(file, content);
}

/** Removes the file: what it tells is no longer so. */
export function removeDevFile(file: string): void {
  fs.rmSync(file, { force: true });
}
