import { defaultQuorum, quorumsOfTwo } from '../../domain/catalogue/quorum.ts';

/** A mapping of an unchecked file: every field may be missing or have another type. */
export type Draft = Readonly<Record<string, unknown>>;

/** True for values with fields. */
export const isMapping = (value: unknown): value is Draft => typeof value === 'object' && value !== null;

const entriesOf = (value: unknown): Draft[] =>
  Array.isArray(value) ? value.map((entry: unknown) => (isMapping(entry) ? entry : {})) : [];

/** Flattens a tree of nodes, each with its parent's name. */
export const flatten = (nodes: readonly Draft[], parent: unknown): Draft[] =>
  nodes.flatMap(({ children, ...node }) => [{ ...node, parent }, ...flatten(entriesOf(children), node.name)]);

/** Most endpoints of a network. */
export const MOST_ENDPOINTS = 16;

const repeated = (what: string, values: readonly unknown[]): string[] =>
  values
    .filter((value, index) => (value ?? '') !== '' && values.indexOf(value) !== index)
    .map((value) => `${what} ${String(value)} appears twice`);

/** The rule of a whole number, as a phrase after the field's name. */
export const wholeNumber = (minimum: number, maximum: number): string =>
  `must be a whole number from ${minimum} to ${maximum}`;

/** A URL in its one form: without a default port or a missing slash; null for none, or for one whose credentials cannot be decoded. */
const normalUrl = (text: unknown): string | null => {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
    return href;
  } catch {
    return null;
  }
};

/** Endpoints that are none, or listed twice: two that are one would agree with each other. They are named by place, for their keys. */
const endpointProblems = (urls: readonly unknown[], place: string): string[] => {
  const normal = urls.map(normalUrl);
  return normal.flatMap((url, index) => {
    if (url === null) return [`${place}[${index}] must be a valid URL`];
    const first = normal.indexOf(url);
    return first === index ? [] : [`${place}[${index}] is the same endpoint as ${place}[${first}]`];
  });
};

/** Contradictions among the fields of a network. */
const contradictionsOf = (network: Draft, chains: readonly Draft[], place: string): string[] => {
  const { rpc_urls, quorum, confirmations, finality, retired } = network;
  const problems: string[] = [];
  if (rpc_urls == null && retired !== true)
    problems.push(`${place}.rpc_urls is required unless the network is retired`);
  const urls: readonly unknown[] | null = Array.isArray(rpc_urls) ? rpc_urls : null;
  problems.push(...endpointProblems(urls ?? [], `${place}.rpc_urls`));
  if (quorum == null && urls !== null && defaultQuorum(urls.length) === null)
    problems.push(`${place}.quorum is required with two rpc_urls: ${quorumsOfTwo}`);
  const most = Math.min(urls?.length ?? MOST_ENDPOINTS, MOST_ENDPOINTS);
  if (most > 0 && Number(quorum) > most && Number(quorum) <= MOST_ENDPOINTS)
    problems.push(`${place}.quorum ${wholeNumber(1, most)}`);
  const least = Number(confirmations) + 1;
  if (Number(finality) < least) problems.push(`${place}.finality ${wholeNumber(least, 1_000_000)}`);
  return [...problems, ...sharedKeys(network, chains, place)];
};

const listed = (field: string, keys: unknown): [string, unknown][] =>
  Array.isArray(keys) ? keys.map((key: unknown): [string, unknown] => [field, key]) : [];

/** Keys with two roles on a network, because a thief of the key would get both. */
const sharedKeys = (
  { root, chain: of, guardian, upgrader, operators, signers }: Draft,
  chains: readonly Draft[],
  place: string,
) => {
  const keys: [string, unknown][] = [
    ['root', root ?? chains.find(({ name }) => name === of)?.first_root],
    ['guardian', guardian],
    ['upgrader', upgrader],
    ...listed('operators', operators),
    ...listed('signers', signers),
  ];
  return keys.flatMap(([field, key], index) => {
    const first = keys.findIndex(([, other]) => other !== undefined && other === key);
    if (first < 0 || first === index) return [];
    return [`${place}.${field} must be a separate key; ${String(key)} is also in ${keys[first]![0]}`];
  });
};

const platformOf = ({ first_root, platform_id, approval_delay }: Draft): string =>
  [first_root, platform_id, approval_delay].map(String).join();

/** Chains that would share registries, and so addresses of different wallets. */
const sharedPlatforms = (chains: readonly Draft[]): string[] =>
  chains.flatMap((entry, index) => {
    const first = chains.findIndex((other) => platformOf(other) === platformOf(entry));
    if (first === index || entry.platform_id === undefined) return [];
    return [
      `catalogue.chains[${index}].platform_id must differ from that of chain ${String(chains[first]!.name)}, which has the ` +
        'same first_root and approval_delay',
    ];
  });

/** Problems that a schema cannot express: duplicate and missing names, and contradictory fields. */
export const contradictionsIn = (file: Draft): string[] => {
  const nodes = flatten(entriesOf(file.nodes), null);
  const chains = entriesOf(file.chains);
  const networks = entriesOf(file.networks);
  const currencies = entriesOf(file.currencies);
  const tokens = currencies.flatMap((currency) => entriesOf(currency.tokens));
  const all = (key: string, entries: readonly Draft[]) => entries.map((entry) => entry[key]);
  const isMissing = (name: unknown, entries: readonly Draft[]) => !['', ...all('name', entries)].includes(name ?? '');
  return [
    ...networks.flatMap((entry, index) => contradictionsOf(entry, chains, `catalogue.networks[${index}]`)),
    ...sharedPlatforms(chains),
    ...repeated('node', all('name', nodes)),
    ...repeated('chain', all('name', chains)),
    ...repeated('network', all('name', networks)),
    ...repeated('EIP-155 id', all('eip155', networks)),
    ...repeated('currency', all('symbol', currencies)),
    ...repeated('id', all('id', [...nodes, ...chains, ...networks, ...currencies])),
    ...repeated(
      'token on network',
      tokens.map((entry) => `${String(entry.network)}: ${String(entry.address ?? 'native coin')}`),
    ),
    ...currencies.flatMap(({ symbol, tokens: own }) =>
      repeated(`token of ${String(symbol)} on`, all('network', entriesOf(own))),
    ),
    ...networks
      .filter(({ chain }) => isMissing(chain, chains))
      .map(({ name, chain }) => `network ${String(name)} names the chain ${String(chain)}, which is not in the file`),
    ...tokens
      .filter(({ address, permit }) => address == null && permit != null)
      .map(({ network }) => `the native coin of ${String(network)} has no permit: leave it out`),
    ...tokens
      .filter((entry) => isMissing(entry.network, networks))
      .map((entry) => `a token names the network ${String(entry.network)}, which is not in the file`),
  ];
};
