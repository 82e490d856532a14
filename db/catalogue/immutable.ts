import { rowsOf } from '../query/statements.ts';
import { accountsOf, type Application } from './application.ts';

const platformFields = ['first_root', 'platform_id', 'approval_delay'] as const;

interface ChainRow {
  id: string;
  name: string;
  first_root: string;
  platform_id: string;
  approval_delay: number;
}

interface NetworkRow {
  id: string;
  name: string;
  chain_id: string;
  eip155: string;
  genesis_hash: string | null;
  root: string;
  /** First root of its chain. */
  first_root: string;
  /** True when diamonds, payments, defaults or webhooks refer to it. */
  is_used: boolean;
}

const storedNetworks = async ({ trx }: Application): Promise<NetworkRow[]> => {
  const uses = ['diamonds', 'payments', 'node_network_wallet_defaults', 'webhook_configurations'];
  const used = uses.map((table) => `EXISTS (SELECT 1 FROM ${table} t WHERE t.network_id = n.id)`).join(' OR ');
  return rowsOf<NetworkRow>(trx)(`
     SELECT n.id, n.name, n.chain_id, n.eip155, n.genesis_hash, n.root, c.first_root, (${used}) AS is_used
     FROM networks n JOIN chains c ON c.id = n.chain_id`);
};

const nodeProblems = async ({ trx, catalogue, nodes }: Application): Promise<string[]> => {
  const stored = await trx('nodes').select<{ id: string; parent_id: string | null }[]>('id', 'parent_id');
  return catalogue.nodes.flatMap(({ name, parent }) => {
    const row = stored.find(({ id }) => id === nodes[name]);
    const isMoved = row !== undefined && row.parent_id !== (parent === null ? null : nodes[parent]);
    return isMoved ? [`node ${name} is stored under another parent`] : [];
  });
};

const chainProblems = async ({ trx, catalogue, chains }: Application): Promise<string[]> => {
  const stored = await trx('chains').select<ChainRow[]>('id', 'name', ...platformFields);
  return catalogue.chains.flatMap((chain) => {
    const id = chains[chain.name];
    const own = stored.find((row) => row.id === id);
    const changed = platformFields.filter((field) => own !== undefined && own[field] !== chain[field]);
    const twin = stored.find((row) => row.id !== id && platformFields.every((field) => row[field] === chain[field]));
    return [
      ...changed.map(
        (field) =>
          `chain ${chain.name} is stored with the ${field} ${own![field]}, which cannot change: the addresses of its ` +
          'registries and of all its wallets depend on it',
      ),
      ...(twin === undefined
        ? []
        : [`chain ${chain.name} must have another platform_id than the stored chain ${twin.name}`]),
    ];
  });
};

const networkProblems = async (application: Application, stored: readonly NetworkRow[]): Promise<string[]> => {
  const { catalogue, networks, chains, facts } = application;
  return catalogue.networks.flatMap(({ name, chain, eip155, names_root }) => {
    const row = stored.find(({ id }) => id === networks[name]);
    const twin = stored.find((one) => one.id !== networks[name] && one.eip155 === String(eip155));
    const problems: string[] = [];
    if (twin !== undefined) {
      const hint = `if it is that one, write its id: ${twin.id}`;
      problems.push(`network ${name} has the EIP-155 id of the stored network ${twin.name}; ${hint}`);
    }
    if (row === undefined) return problems;
    // A lost line of the file must not restore the first root.
    if (!names_root && row.chain_id === chains[chain] && row.root !== row.first_root) {
      problems.push(`network ${name} is stored with the root ${row.root}, so the file must name its root`);
    }
    if (row.chain_id !== chains[chain] && row.is_used) {
      problems.push(`network ${name} is stored under another chain, and wallets of that chain use it`);
    }
    if (row.eip155 !== String(eip155)) problems.push(`network ${name} is stored with the EIP-155 id ${row.eip155}`);
    const genesis = facts.get(name)?.genesisHash ?? null;
    if (row.genesis_hash !== null && genesis !== null && row.genesis_hash !== genesis) {
      problems.push(`network ${name} has the genesis ${genesis}, but the stored one is ${row.genesis_hash}`);
    }
    return problems;
  });
};

/** Only stored networks may omit their endpoints. */
const endpointProblems = ({ catalogue, networks }: Application, stored: readonly NetworkRow[]): string[] =>
  catalogue.networks
    .filter(({ name, rpc_urls }) => rpc_urls == null && !stored.some(({ id }) => id === networks[name]))
    .map(({ name }) => `network ${name} is retired and was never stored: leave it out, or name its rpc_urls`);

/**
 * Refuses networks on chains whose root was handed over. The first root could create the chain's registry on a new network and
 * be its root. So once any network of a chain expects another root, the chain takes no further networks, and its existing ones
 * must have their registry.
 */
const handoverProblems = (application: Application, stored: readonly NetworkRow[]): string[] => {
  const { catalogue, networks, chains, facts } = application;
  const inFile = catalogue.networks.map(({ name, chain, root }) => {
    return { id: networks[name]!, name, chain_id: chains[chain]!, root };
  });
  const later = [...inFile, ...stored.filter(({ id }) => !inFile.some((one) => one.id === id))];
  return catalogue.networks.flatMap(({ name, chain }) => {
    const chainId = chains[chain]!;
    const isOld = stored.some((row) => row.id === networks[name] && row.chain_id === chainId);
    if (isOld && facts.get(name)?.hasRegistry !== false) return [];
    const firstRoot = catalogue.chains.find((one) => one.name === chain)!.first_root;
    const handedOver = later.find((one) => one.chain_id === chainId && one.root !== firstRoot);
    if (handedOver === undefined) return [];
    const what = isOld ? 'is not prepared, so it cannot stay in' : 'cannot join';
    return [
      `network ${name} ${what} the chain ${chain}, whose root was handed over on ${handedOver.name}: ${firstRoot} could ` +
        `make the same registry on ${name} and be its root. Give ${name} a new chain, with ` +
        `first_root: '${handedOver.root}' and a new platform_id`,
    ];
  });
};

const accountProblems = async ({ trx, catalogue, networks }: Application): Promise<string[]> => {
  const stored = await trx('signer_accounts').select<{ network_id: string; address: string; role: string }[]>(
    'network_id',
    'address',
    'role',
  );
  return catalogue.networks.flatMap((network) =>
    accountsOf(network).flatMap(({ address, role }) => {
      const row = stored.find((one) => one.network_id === networks[network.name] && one.address === address);
      if (row === undefined || row.role === role) return [];
      return [`${address} on network ${network.name} is stored as ${row.role}; a key keeps its role`];
    }),
  );
};

/** Finds changes of stored fields that must never change, because payments and keys on the chain depend on them. */
export const immutableProblems = async (application: Application): Promise<string[]> => {
  const stored = await storedNetworks(application);
  return [
    ...(await nodeProblems(application)),
    ...(await chainProblems(application)),
    ...(await networkProblems(application, stored)),
    ...endpointProblems(application, stored),
    ...handoverProblems(application, stored),
    ...(await accountProblems(application)),
  ];
};
