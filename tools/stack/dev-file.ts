import type { DealMode } from '../../domain/payment.ts';
import { apiUrl, taskQueueOf, type ProcessSettings } from '../process/services.ts';
import { devFile, shown, stateDir } from '../paths.ts';
import { devAccounts } from './accounts.ts';
import type { Prepared } from './prepare.ts';
import { devNetworks, networksAt, type Ports } from './settings.ts';
import { devTokens, testTokenAddress } from './tokens.ts';

/** Content of `.carat/dev.json`, which describes the running stack to scripts. */
export interface DevFile {
  /** Origin of the api, without `/api/v1`. */
  readonly api: string;
  readonly docs: string;
  readonly temporal: { address: string; namespace: string; ui: string };
  /** Connection URL with its password. */
  readonly database: string;
  readonly admin: { api_key: string; secret: string };
  /** The environment of the operators' command for this stack. */
  readonly operator: Readonly<Record<string, string>>;
  readonly nodes: Record<string, string>;
  readonly chains: Record<string, string>;
  readonly networks: Record<string, { id: string; chain_id: string; eip155: number; rpc: string }>;
  readonly currencies: Record<
    string,
    { id: string; tokens: Record<string, { address: string | null; decimals: number }> }
  >;
  /** Ids of deployed wallets of the node `merchant`, by the mode of their deals. */
  readonly wallets: Readonly<Record<DealMode, string>>;
  /** Page of a payment of this start, which a person can pay. */
  readonly checkout_url: string;
  readonly buyer: { address: string; private_key: string };
  readonly pids: Record<string, number>;
}

/** The stack before its wallets are there. */
export type DevStack = Omit<DevFile, 'wallets' | 'checkout_url'>;

/** The starter's knowledge of a running stack. */
export interface StackParts {
  readonly ports: Ports;
  readonly prepared: Prepared;
  readonly settings: ProcessSettings;
  /** Origin of Temporal's UI; empty when the server was not started here. */
  readonly temporalUi: string;
  readonly pids: Record<string, number>;
}

/** Describes the stack for scripts and people. */
export const describeStack = ({ ports, prepared, settings, temporalUi, pids }: StackParts): DevStack => {
  const { buyer } = devAccounts;
  const tokens = (address: string | null, decimals: number) =>
    Object.fromEntries(devNetworks.map(({ name }) => [name, { address, decimals }]));
  const { currencies } = prepared.catalogue;
  const chainId = prepared.catalogue.chains.devnet ?? '';
  return {
    api: apiUrl(ports.api.port),
    docs: `${apiUrl(ports.api.port)}/docs`,
    temporal: { ...settings.temporal, ui: temporalUi },
    database: settings.databaseUrl,
    admin: settings.secrets.admin,
    operator: {
      CARAT_DATABASE_URL: settings.databaseUrl,
      CARAT_MASTER_KEY: settings.secrets.masterKey,
      CARAT_WEBHOOK_HOSTS: 'loopback',
      CARAT_PUBLIC_URL: apiUrl(ports.api.port),
      CARAT_KEYSTORE_PASSPHRASE: settings.secrets.keystorePassphrase,
      CARAT_TEMPORAL_ADDRESS: settings.temporal.address,
      CARAT_TEMPORAL_NAMESPACE: settings.temporal.namespace,
      CARAT_TASK_QUEUE: taskQueueOf(settings),
      CARAT_TEMPORAL_UI: temporalUi,
    },
    nodes: { ...prepared.catalogue.nodes },
    chains: { ...prepared.catalogue.chains },
    networks: Object.fromEntries(
      networksAt(ports).map(({ name, eip155, url }) => [
        name,
        { id: prepared.catalogue.networks[name] ?? '', chain_id: chainId, eip155, rpc: url },
      ]),
    ),
    currencies: {
      ETH: { id: currencies.ETH ?? '', tokens: tokens(null, 18) },
      ...Object.fromEntries(
        devTokens.map((token) => [
          token.symbol,
          { id: currencies[token.symbol] ?? '', tokens: tokens(testTokenAddress(token), token.decimals) },
        ]),
      ),
    },
    buyer: { address: buyer.address, private_key: buyer.privateKey },
    pids,
  };
};

/** Text that the starter prints when the stack is ready: all addresses, and a first call to paste. */
export const welcome = (dev: Omit<DevFile, 'wallets'>): string => {
  const rows: [string, string][] = [
    ['API', `${dev.api}/api/v1`],
    ['Docs', dev.docs],
    ['Temporal UI', dev.temporal.ui || `of the server at ${dev.temporal.address}`],
    ...Object.entries(dev.networks).map(([name, { rpc, eip155 }]): [string, string] => [
      `RPC ${name}`,
      `${rpc} (chain id ${eip155})`,
    ]),
    ['Database', `in ${shown(devFile)}, with the ids of nodes, networks, currencies and two wallets`],
  ];
  const table = rows.map(([what, where]) => `  ${what.padEnd(12)} ${where}`).join('\n');
  const elsewhere = process.env.CARAT_STATE_DIR ? `CARAT_STATE_DIR=${shown(stateDir)} ` : '';
  return `
Carat is ready.

${table}

A first call, a token of the admin integration:

  curl -s ${dev.api}/api/v1/auth/token \\
    -d grant_type=client_credentials \\
    -d client_id=${dev.admin.api_key} \\
    -d client_secret=${dev.admin.secret}

A payment of 12.5 USDC that waits for you, as its buyer sees it:

  ${dev.checkout_url}

To pay it, import the demo buyer's key into the wallet of a browser: buyer.private_key in
${shown(devFile)}. The page adds the network, with the RPC above. Everybody knows this key:
it has coins and tokens of these chains only. Or let the demo's buyer pay: ${elsewhere}npm run pay -- URL

In another terminal:

  ${elsewhere}npm run demo   takes twelve payments from creation to completed
  ${elsewhere}npm run shop   starts a shop in which you buy something

Ctrl-C stops everything.

`;
};
