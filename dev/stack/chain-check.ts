import pg from 'pg';
import { rpc } from './chain.ts';
import type { DevNetwork } from './settings.ts';

/**
 * Compares a chain with what the database knows of it: its genesis, and how far it was followed.
 *
 * @throws Error that names `npm run reset` when it is another chain, or one that lost too many blocks
 */
export async function checkChain(databaseUrl: string, network: DevNetwork, rpcUrl: string): Promise<void> {
  const stored = await storedChain(databaseUrl, network.name);
  if (!stored) return;
  const genesis = (await rpc(rpcUrl, 'eth_getBlockByNumber', ['0x0', false])) as { hash: string };
  if (stored.genesis !== null && stored.genesis !== genesis.hash) {
    throw new Error(
      `the chain ${network.name} is not the one that the stored data belongs to: its genesis is ${genesis.hash}, ` +
        `the stored one ${stored.genesis}; start anew with: npm run reset`,
    );
  }
  const tip = Number((await rpc(rpcUrl, 'eth_blockNumber')) as string);
  const lost = stored.scanned - tip;
  // Fewer than the confirmations is a reorganisation like any other, which the watcher deals with.
  if (lost >= network.confirmations && lost > 0) {
    throw new Error(
      `the chain ${network.name} lost its last ${lost} blocks (it stands at ${tip}, the database at ${stored.scanned}), ` +
        `more than its ${network.confirmations} confirmation(s) allow; start anew with: npm run reset`,
    );
  }
}

interface StoredChain {
  genesis: string | null;
  /** Number of the last block that was scanned; 0 before the first. */
  scanned: number;
}

async function storedChain(databaseUrl: string, name: string): Promise<StoredChain | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ genesis: string | null; scanned: string | null }>(
      `SELECT n.genesis_hash AS genesis, c.number AS scanned
         FROM networks n LEFT JOIN watch_cursors c ON c.network_id = n.id WHERE n.name = $1`,
      [name],
    );
    const [row] = rows;
    return row && { genesis: row.genesis, scanned: Number(row.scanned ?? 0) };
  } finally {
    await client.end();
  }
}
