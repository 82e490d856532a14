import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { checkNetwork } from '../chain/deploy/network-check.ts';
import type { AppliedCatalogue } from '../db/catalogue/application.ts';
import { applyCatalogue } from '../db/catalogue/apply.ts';
import { defineCommand, UsageError, yesOption, readWords } from './command/command.ts';
import { withDatabase } from './command/database.ts';
import { warnOfRegistries } from './registry.ts';

/** Lines about networks that are retired or were resumed. */
const retirementLines = ({ retired, resumed }: Pick<AppliedCatalogue, 'retired' | 'resumed'>): string[] => [
  ...retired.map(({ network, openPayments, openDeployments, isAtRest }) => {
    if (isAtRest) return `retired    ${network}: nothing can be paid or reversed there; it is no longer watched`;
    const open = [
      ...(openPayments > 0 || openDeployments === 0 ? [`${openPayments} payments`] : []),
      ...(openDeployments > 0 ? [`${openDeployments} deployments`] : []),
    ];
    return `retired    ${network}: ${open.join(' and ')} open; it is watched until nothing can be paid or reversed there`;
  }),
  ...resumed.map(
    ({ network, lastBlock }) =>
      `resumed    ${network}: it is watched from its newest block on; earlier blocks after ${lastBlock ?? '-'} are skipped`,
  ),
];

/** Checks the live networks, then applies a file of nodes, chains, networks and currencies. */
export const catalogueApply = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const { values, positionals } = readWords(args, yesOption);
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('one file is needed');
    const input: unknown = load(await readFile(file, 'utf8'), { filename: file });
    await withDatabase(config, async (knex) => {
      const applied = await applyCatalogue(knex, input, checkNetwork, { isWanted: values.yes === true });
      print(applied.changes === 0 ? 'The catalogue matches the file' : `${applied.changes} rows written`);
      for (const kind of ['nodes', 'chains', 'networks', 'currencies'] as const) {
        for (const [name, id] of Object.entries(applied[kind])) print(`${kind.padEnd(10)} ${id} ${name}`);
      }
      for (const { network, before, now } of applied.quorums) {
        print(
          `quorum     ${network}: ${now.quorum} of ${now.of} endpoints must agree from now on; before: ${before.quorum} of ${before.of}`,
        );
      }
      const warnings = [...applied.warnings, ...(await warnOfRegistries(knex, Object.values(applied.networks)))];
      for (const warning of warnings) print(`warning    ${warning}`);
      for (const line of retirementLines(applied)) print(line);
      for (const { network, role, address, open } of applied.dismissed) {
        const rest = open === 0 ? 'nothing is in flight' : `${open} transactions are in flight, keep its key`;
        print(`dismissed  ${role} ${address} of ${network}: ${rest}`);
      }
    });
  },
});
