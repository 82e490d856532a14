import { shown, stateDir } from './paths.ts';
import { runningStack } from './running-stack.ts';

/*
 * npm run carat -- COMMAND [ARGUMENT...]
 *
 * The operators' command. It applies to the running stack of `npm start` unless another place is configured.
 */

const stack = runningStack();
const isSet = (name: string): boolean => Boolean(process.env[name]?.trim());
// A passphrase of one's own opens a keystore of one's own, and says nothing about where Carat is.
const { CARAT_KEYSTORE_PASSPHRASE, ...place } = stack?.operator ?? {};
// New keystores must not depend on a passphrase that nobody has seen.
if (stack && !Object.keys(place).some(isSet) && process.argv[2] !== 'keystore') {
  Object.assign(process.env, place, isSet('CARAT_KEYSTORE_PASSPHRASE') ? {} : { CARAT_KEYSTORE_PASSPHRASE });
  if (process.argv[2] !== undefined) console.error(`carat: using the local stack in ${shown(stateDir)}`);
}
await import('../cli/main.ts');
