import { sendRest } from '../../chain/deploy/send-calls.ts';
import { isAddress } from '../../chain/pure/address.ts';
import { openKeystore } from '../../chain/signing/keystore.ts';
import { nativeSymbol } from '../../db/catalogue/reads.ts';
import { isKeyAtWork } from '../../db/lane/accounts.ts';
import { defineCommand, refuseNobody, UsageError } from '../command/command.ts';
import { onNetwork } from '../command/networks.ts';
import { coinsText } from '../command/text.ts';

/** Sends the coins of a keystore's keys on a network to one address, except those of keys that Carat still uses there. */
export const keystoreEmpty = defineCommand({
  config: ['databaseUrl', 'keystorePassphrase'],
  run: async ({ args, config, print }) => {
    const [file, name, to, ...rest] = args;
    if (file === undefined || name === undefined || to === undefined || !isAddress(to) || rest.length > 0) {
      throw new UsageError('a keystore, a network and the address of the receiver are needed');
    }
    refuseNobody(to);
    const keystore = await openKeystore(file, config.keystorePassphrase);
    let isAnyAtWork = false;
    await onNetwork(config, name, async ({ knex, network, rpc }) => {
      const symbol = await nativeSymbol(knex, network.id);
      for (const address of keystore.addresses) {
        if (address === to.toLowerCase()) continue;
        // Its lane would take the transfer for a stranger's use of the key.
        if (await isKeyAtWork(knex, network.id, address)) {
          isAnyAtWork = true;
          print(`${address} keeps its coins: it is at work on ${name}`);
          continue;
        }
        const sent = await sendRest(rpc, keystore.signer(address), network, to.toLowerCase());
        const { value, left, transaction } = sent;
        if (transaction !== null) print(`${address} sent ${coinsText(value, symbol)} on ${name} in ${transaction}`);
        else if (left === 0n) print(`${address} has no coins on ${name}`);
        else print(`${address} keeps ${coinsText(left, symbol)} on ${name}: a transfer may cost as much`);
      }
    });
    return isAnyAtWork ? 'bad' : undefined;
  },
});
