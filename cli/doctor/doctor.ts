import { ConfigError, temporalKeys, type Config } from '../../runtime/config.ts';
import { readTokens } from '../../db/catalogue/tokens.ts';
import { readUnlockedChains } from '../../db/payouts/payouts.ts';
import { readApiHosts } from '../../db/processes/processes.ts';
import { watchedNetworks } from '../../db/watcher/networks.ts';
import { isLocalPlatform } from '../../domain/platform.ts';
import { defineCommand, jsonOption, readOptions, type CommandCall } from '../command/command.ts';
import { withReader, type Database } from '../command/database.ts';
import { columns, countText, jsonText, plain } from '../command/text.ts';
import { databaseFindings, masterKeyFinding, unreachable } from './database.ts';
import { findingsOf, temporalCertificateFindings, type Finding } from './finding.ts';
import { holderFindings, readKeys } from './keys.ts';
import { networkFindings } from './networks.ts';
import { publicUrlFindings } from './public-url.ts';
import { temporalFindings } from './temporal.ts';

type Call = CommandCall<'lowFunds'>;
type Need = Call['need'];

const configuration = findingsOf('configuration');

const setEach = 'set it where the processes run; .env.example describes each variable';

/** Reads variables, or reports their faults. */
const tryNeed = <Value>(read: () => Value): { readonly value?: Value; readonly findings: Finding[] } => {
  try {
    return { value: read(), findings: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { findings: error.problems.map((text) => configuration.problem(text, setEach)) };
  }
};

/** The groups of variables that the doctor needs, each with its faults. */
const readConfig = (need: Need) => ({
  database: tryNeed(() => need('databaseUrl')),
  masterKey: tryNeed(() => need('masterKey')),
  temporal: tryNeed(() => need(...temporalKeys)),
  publicUrl: tryNeed(() => need('publicUrl')),
});

/** Errors of the doctor's own reads become findings, because the other areas still tell something. */
const guarded = async (work: () => Promise<Finding[]>): Promise<Finding[]> => {
  try {
    return await work();
  } catch (error) {
    return [unreachable(error)];
  }
};

/** Chains on which a stolen key of a shop could name another payee. */
const payoutFindings = async (knex: Database): Promise<Finding[]> =>
  (await readUnlockedChains(knex))
    .filter(({ platformId: id }) => !isLocalPlatform({ id }))
    .map(({ chain, nodes }) =>
      findingsOf('payouts').warning(
        `${countText(nodes, 'node')} with a wallet on ${chain} without a payout lock: whoever steals an integration's key can name another payee`,
        'lock the payout address of each node, or of one above: docs/operations/lock-payouts.md',
      ),
    );

/** Everything that the database knows, read one after another over one connection. */
const readDatabase = async (
  knex: Database,
  config: Config<'databaseUrl'>,
  masterKey: Uint8Array | undefined,
  now: () => number,
) => {
  const findings = await databaseFindings(knex, config, now);
  if (findings.some(({ area, grade }) => area === 'schema' && grade === 'problem')) return { findings, places: [] };
  if (masterKey !== undefined) findings.push(await masterKeyFinding(knex, masterKey));
  findings.push(...(await holderFindings(knex)));
  const keys = await readKeys(knex);
  const networks = (await watchedNetworks(knex)).filter(({ isAtRest }) => !isAtRest);
  if (networks.length === 0) {
    findings.push(findingsOf('catalogue').warning('it has no network in use', 'carat catalogue apply FILE'));
  }
  findings.push(...(await payoutFindings(knex)));
  const places = [];
  for (const network of networks) {
    const tokens = await readTokens(knex, network.id);
    places.push({ network, tokens, keys: keys.filter((key) => key.networkId === network.id) });
  }
  return { findings, places };
};

const throughDatabase = async ({ need, config: { lowFunds } }: Call, now: () => number): Promise<Finding[]> => {
  const { database, masterKey } = readConfig(need);
  const { value } = database;
  if (value === undefined) return [];
  const read = await withReader(value, (knex) => readDatabase(knex, value, masterKey.value?.masterKey, now));
  const live = await Promise.all(
    read.places.map(({ network, keys, tokens }) =>
      guarded(() => networkFindings(network, keys, { now, lowFunds, tokens })),
    ),
  );
  return [...read.findings, ...live.flat()];
};

/** Runs all checks, those of different areas at once. */
const examine = async (call: Call, now: () => number): Promise<Finding[]> => {
  const { database, masterKey, temporal, publicUrl } = readConfig(call.need);
  const wrong = [database, masterKey, temporal, publicUrl].flatMap(({ findings }) => findings);
  const apiHosts = async (): Promise<string[]> =>
    database.value === undefined ? [] : withReader(database.value, readApiHosts);
  const areas = await Promise.all([
    guarded(() => throughDatabase(call, now)),
    temporal.value === undefined ? [] : temporalFindings(temporal.value),
    publicUrl.value === undefined ? [] : publicUrlFindings(publicUrl.value.publicUrl, now, apiHosts),
    temporal.value === undefined ? [] : temporalCertificateFindings(temporal.value, now),
  ]);
  return [
    ...(wrong.length === 0 ? [configuration.ok('the variables of this command are valid')] : wrong),
    ...areas.flat(),
  ];
};

const linesOf = (findings: readonly Finding[]): string[] => {
  const shown = columns(
    findings.map(({ area, grade, found }) => [grade === 'problem' ? 'PROBLEM' : grade, area, found]),
  );
  return findings.flatMap(({ remedy }, index) => [
    shown[index]!,
    ...(remedy === null ? [] : [`         To do: ${remedy}`]),
  ]);
};

/** Checks everything that Carat depends on, and names cause and remedy of each problem. */
export const doctor = defineCommand({
  config: ['lowFunds'],
  run: async (call) => {
    const { values } = readOptions(call.args, jsonOption);
    const findings = await examine(call, Date.now);
    const problems = findings.filter(({ grade }) => grade === 'problem').length;
    const warnings = findings.filter(({ grade }) => grade === 'warning').length;
    if (values.json) call.print(jsonText({ problems, warnings, findings }));
    else {
      for (const line of linesOf(findings)) call.print(plain(line));
      call.print(`${countText(problems, 'problem')}, ${countText(warnings, 'warning')}`);
    }
    return problems > 0 ? 'bad' : undefined;
  },
});
