import type { WantedPort } from '../process/ports.ts';

const defaults = {
  api: ['the api', 'CARAT_API_PORT', 3000],
  postgres: ['PostgreSQL', 'CARAT_POSTGRES_PORT', 5433],
  temporal: ['Temporal', 'CARAT_TEMPORAL_PORT', 7233],
  temporalUi: ['the Temporal UI', 'CARAT_TEMPORAL_UI_PORT', 8233],
  alpha: ['the chain alpha', 'CARAT_ALPHA_PORT', 8545],
  beta: ['the chain beta', 'CARAT_BETA_PORT', 8546],
} as const;

/** The ports of the local stack. */
export type Ports = Record<keyof typeof defaults, WantedPort>;

/**
 * Reads the ports from the environment.
 * @throws Error that names every variable that is not a port, and two services on one port
 */
export const readPorts = (env: NodeJS.ProcessEnv): Ports => {
  const problems: string[] = [];
  const taken = new Map<number, string>();
  const entries = Object.entries(defaults).map(([key, [service, variable, fallback]]) => {
    const text = env[variable]?.trim();
    const port = text ? Number(text) : fallback;
    if (!Number.isInteger(port) || port < 1 || port > 65_535) problems.push(`${variable} must be a port, 1 to 65535`);
    const other = taken.get(port);
    if (other) problems.push(`${variable} and ${other} are the same port, ${port}`);
    taken.set(port, variable);
    return [key, { service, variable, port }] as const;
  });
  if (problems.length > 0) throw new Error(problems.join('; '));
  return Object.fromEntries(entries) as Ports;
};

/** A network of a local stack. */
export interface DevNetwork {
  /** UUID in the catalogue. Default: made from the name, the same in every clone. */
  readonly id?: string;
  readonly name: string;
  eip155: number;
  /** Seconds between blocks. */
  readonly blockTime: number;
  readonly confirmations: number;
  /** Block headers that the watcher keeps below the tip. */
  readonly finality: number;
}

/**
 * Two networks of one chain that differ in pace and depth. A kill may cost a chain two seconds of blocks, less than the
 * confirmations of each.
 */
export const devNetworks = [
  { name: 'alpha', eip155: 31_337, blockTime: 1, confirmations: 3, finality: 64 },
  { name: 'beta', eip155: 31_338, blockTime: 2, confirmations: 2, finality: 32 },
] as const satisfies DevNetwork[];

/** A development network and the URL of its chain. */
export type NetworkAt = DevNetwork & { url: string };

/** The networks of the local stack, on their ports. */
export const networksAt = (ports: Ports): NetworkAt[] =>
  devNetworks.map((network) => ({ ...network, url: `http://127.0.0.1:${ports[network.name].port}` }));
