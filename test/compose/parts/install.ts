import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { dump } from 'js-yaml';
import { filledExample } from '../../../tools/stack/compose.ts';
import { eventually, type Bench } from '../bench.ts';
import { buildOwn, type Source } from '../images.ts';
import { network, openShop, type ComposeShop, type ComposeStack } from '../shop.ts';
import { blocksAfter } from './page.ts';

/** The commands in the first lines of docker-compose.yml, in order. */
const headerCommands = (text: string): string[] =>
  [...text.matchAll(/^# {3}(\S.*?)(?: {2,}.*)?$/gm)].map(([, command]) => command!);

const carat = ({ sh }: Bench, args: string): Promise<string> => sh(`docker compose run --rm carat ${args}`);

/** Addresses that `carat keystore create` printed. */
const addressesIn = (text: string): string[] => text.match(/0x[0-9a-f]{40}/gi) ?? [];

/** Follows the first lines of docker-compose.yml. Resolves to the addresses of the workers' keys. */
export const followHeader = async (bench: Bench, source: Source, tagOf: (name: string) => string) => {
  const { folder, sh, timed } = bench;
  const commands = headerCommands(fs.readFileSync(path.join(folder, 'docker-compose.yml'), 'utf8'));
  let keys: string[] = [];
  for (const command of commands) {
    if (command === 'docker compose build') await buildOwn(bench, source, command, tagOf);
    else if (command === 'docker compose up -d') await timed(command, () => sh(`${command} --wait --wait-timeout 300`));
    else {
      const out = await timed(command, () => sh(command));
      if (command.includes('keystore create')) keys = addressesIn(out);
    }
    if (command.startsWith('cp .env.example')) {
      const file = path.join(folder, '.env');
      fs.writeFileSync(file, await filledExample(fs.readFileSync(file, 'utf8')), { mode: 0o600 });
    }
  }
  if (keys.length !== 3) throw new Error(`the header makes ${keys.length} keys, but three have a role`);
  return keys;
};

/** The development chain, for this machine. */
export const rpcUrl = 'http://127.0.0.1:8545';

const catalogueOf = (keys: readonly string[], root: string, guardian: string): string =>
  dump({
    nodes: [{ name: 'root', children: [{ name: 'merchant' }] }],
    chains: [
      { name: 'devnet', first_root: root, platform_id: `0x${randomBytes(32).toString('hex')}`, approval_delay: 0 },
    ],
    networks: [
      {
        name: network,
        chain: 'devnet',
        eip155: 31_337,
        rpc_urls: ['http://chain:8545'],
        public_rpc_urls: [rpcUrl],
        confirmations: 2,
        finality: 64,
        block_time_ms: 1_000,
        max_fee_per_gas_gwei: 500,
        operators: [keys[0]],
        upgrader: keys[1],
        signers: [keys[2]],
        guardian,
      },
    ],
    currencies: [{ symbol: 'ETH', name: 'Ether', decimals: 18, tokens: [{ network }] }],
  });

/** Ids that `carat catalogue apply` printed. */
const idsIn = (text: string, kind: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(new RegExp(`^${kind} +(\\S+) (.+)$`, 'gm'))].map(([, id, name]) => [name, id]));

/** An installation with a catalogue, a prepared network and an integration. */
interface Installation {
  readonly stack: ComposeStack;
  /** Commands that set the variables of the page, and its functions. */
  readonly prelude: string;
}

/** Follows docs/operations/install.md, on the development chain, until payments can be taken. */
export const prepareAll = async (bench: Bench, keys: readonly string[]): Promise<Installation> => {
  const { folder, sh, timed } = bench;
  await timed('starting the development chain', () =>
    sh('docker compose --profile devchain up -d --no-build --wait --wait-timeout 60 chain'),
  );
  const [root = ''] = addressesIn(await carat(bench, 'keystore create /operator/root.json'));
  const [guardian = ''] = addressesIn(await carat(bench, 'keystore create /operator/guardian.json'));
  const [coins = ''] = blocksAfter('install.md', '## A first payment');
  const payers = `ROOT=${root} OPERATOR=${keys[0]} UPGRADER=${keys[1]} GUARDIAN=${guardian}\n`;
  await sh(payers + coins);
  fs.writeFileSync(path.join(folder, 'operator/catalogue.yaml'), catalogueOf(keys, root, guardian));
  const applied = await timed('carat catalogue apply', () => carat(bench, 'catalogue apply /operator/catalogue.yaml'));
  await timed('carat network prepare', async () => {
    await carat(bench, `network prepare ${network} --plan`);
    await carat(bench, `network prepare ${network} --root-keystore /operator/root.json`);
  });
  const admin = await carat(bench, 'admin create');
  const [, api_key = '', secret = ''] = /api_key (\S+)\s+secret +(\S+)/.exec(admin) ?? [];
  const chains = idsIn(applied, 'chains');
  const stack: ComposeStack = {
    api: 'http://127.0.0.1:3000',
    admin: { api_key, secret },
    nodes: idsIn(applied, 'nodes'),
    chains,
    networks: {
      [network]: { id: idsIn(applied, 'networks')[network]!, chain_id: chains.devnet!, eip155: 31_337, rpc: rpcUrl },
    },
    currencies: { ETH: { id: idsIn(applied, 'currencies').ETH!, tokens: {} } },
  };
  const ids = { NODE: stack.nodes.merchant, CHAIN: chains.devnet, NETWORK: stack.networks[network]!.id };
  const given = Object.entries({ ...ids, CURRENCY: stack.currencies.ETH!.id }).map(([name, id]) => `${name}=${id}\n`);
  return { stack, prelude: [...given, payers, coins].join('') };
};

/** Follows all of docs/operations/install.md, with the first payment. Resolves to a shop. */
export const install = async (bench: Bench, keys: readonly string[]): Promise<ComposeShop> => {
  const { sh, timed } = bench;
  const { stack, prelude } = await prepareAll(bench, keys);
  const firstPayment = blocksAfter('install.md', '## A first payment').slice(1, 3);
  await timed('the first payment of the page', () => sh([prelude, ...firstPayment].join('')));
  return timed('deploying a wallet of each deal mode', () => openShop(stack));
};

interface Report {
  readonly findings: readonly { readonly area: string; readonly grade: string; readonly found: string }[];
}

/** Waits until the operator's commands find nothing that is late, down or wrong. */
export const expectHealthy = async (bench: Bench): Promise<void> => {
  await eventually('carat status is good', async () => (await carat(bench, 'status')) !== '');
  await eventually('carat doctor finds no problem', async () => {
    const { findings } = JSON.parse(await carat(bench, 'doctor --json || true')) as Report;
    // From the command's container, 127.0.0.1 is another place than for the clients of this installation.
    const problems = findings.filter(
      ({ area, grade }) => grade === 'problem' || (grade === 'warning' && area !== 'public url'),
    );
    if (problems.length > 0) throw new Error(problems.map(({ area, found }) => `${area}: ${found}`).join('; '));
    return true;
  });
};
