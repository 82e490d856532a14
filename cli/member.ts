import { eraseMember, hasErased } from '../db/members/members.ts';
import { isUuid } from '../domain/tools/is-uuid.ts';
import { createEncryption } from '../runtime/encryption.ts';
import { defineCommand, UsageError, yesOption, readWords } from './command/command.ts';
import { withOwner } from './command/database.ts';
import { countText } from './command/text.ts';

/** Erases the personal data of a member, as the owner of the database. */
export const memberErase = defineCommand({
  config: ['databaseUrl', 'databaseOwnerUrl', 'masterKey'],
  run: async ({ args, config, print }) => {
    const { values, positionals } = readWords(args, yesOption);
    const [id = '', ...rest] = positionals;
    if (!isUuid(id) || rest.length > 0) throw new UsageError('the id of a member is needed');
    const cipher = createEncryption(config.masterKey);
    const erasure = await withOwner(config, (knex) => eraseMember(knex, id, { isWanted: values.yes === true, cipher }));
    if (erasure === null) throw new Error(`there is no member ${id}`);
    if (!hasErased(erasure)) return print(`The member ${id} was erased before; nothing changed`);
    const { addresses, answers, entries, namesakes, isFresh } = erasure;
    print(`The member ${id} is erased: its fields, the addresses of ${countText(addresses, 'payment')},`);
    print(`${countText(answers, 'stored answer')}, and personal data in ${entries} entries of the audit log`);
    for (const { id: other, node, is_deleted, fields } of namesakes) {
      const state = is_deleted ? 'deleted' : 'not deleted';
      print(
        `Perhaps the same person, and not erased: ${other} of node ${node} (${state}), with the same ${fields.join(', ')}`,
      );
    }
    if (isFresh) print('Erase it again in a minute: requests that were under way at its deletion may have shown it');
  },
});
