import { forgetEntries } from '../db/audit/chain.ts';
import { LATE, verifyChain, type NotedHead, type Verdict } from '../db/audit/verify.ts';
import { defineCommand, jsonOption, UsageError, readOptions } from './command/command.ts';
import { withDatabase, withOwner } from './command/database.ts';
import { countText, jsonText, timeText } from './command/text.ts';

/** A link as the command has printed it: number and digest. */
const notedHead = (text: string | undefined): NotedHead | null => {
  if (text === undefined) return null;
  const [, number, digest] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number === undefined || digest === undefined) {
    throw new UsageError('--head takes a link as carat audit verify prints it, NUMBER:DIGEST');
  }
  return { number: Number(number), digest };
};

const linesOf = ({ entries, links, unlinked, late, from, until, forgotten, head, broken }: Verdict): string[] => [
  ...(broken === null ? [] : [`BROKEN: ${broken.message}`]),
  from === null || until === null
    ? 'Nothing is linked'
    : `${countText(links, 'link')} prove ${entries} entries from ${timeText(from)} until ${timeText(until)}`,
  ...(forgotten === 0 ? [] : [`${countText(forgotten, 'older link')} went with their entries by carat audit forget`]),
  `${unlinked} entries are not linked yet`,
  ...(late === 0 ? [] : [`LATE: ${late} of them are older than ${LATE} minutes, so nothing has linked them`]),
  `head ${head}`,
];

/** Compares the audit log with its links, and reports the first difference, and entries that should have a link and have none. */
export const auditVerify = defineCommand({
  config: ['databaseUrl'],
  run: async ({ args, config, print }) => {
    const { values } = readOptions(args, { ...jsonOption, head: { type: 'string' } });
    const noted = notedHead(values.head);
    const verdict = await withDatabase(config, (knex) => verifyChain(knex, noted));
    if (values.json) print(jsonText(verdict));
    else linesOf(verdict).forEach(print);
    return verdict.broken === null && verdict.late === 0 ? undefined : 'bad';
  },
});

/** Deletes old entries of the audit log with their links. */
export const auditForget = defineCommand({
  config: ['databaseUrl', 'databaseOwnerUrl'],
  run: async ({ args, config, print }) => {
    const [text = '', ...rest] = args;
    const days = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (days < 1 || rest.length > 0) throw new UsageError('a whole number of days is needed: younger entries stay');
    await withOwner(config, async (knex) => {
      const { broken } = await verifyChain(knex);
      if (broken !== null) throw new Error(`the chain is broken, so nothing was deleted: ${broken.message}`);
      const deleted = await forgetEntries(knex, days);
      print(
        deleted === 0
          ? `No entry is older than ${countText(days, 'day')}; nothing changed`
          : `${countText(deleted, 'entry').replace('entrys', 'entries')} older than ${countText(days, 'day')} deleted`,
      );
    });
  },
});
