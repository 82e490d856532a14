import { shown, stateDir } from './paths.ts';
import { runningStack } from './running-stack.ts';

/*
 * npm run carat -- COMMAND [ARGUMENT...]
 *
 * The operators' command. It is about the stack of `npm start` while one runs and no other place is configured.
 */

const stack = runningStack();
const isSet = (name: string): boolean => Boolean(process.env[name]?.trim());
// One's own passphrase opens one's own keystore, and says nothing of where Carat is.
const { CARAT_KEYSTORE_PASSPHRASE, ...place } = stack?.operator ?? {};
// Keys that are made shall not depend on a passphrase that nobody has seen.
if (stack && !Object.keys(place).some(isSet) && process.argv[2] !== 'keystore') {
  Object.assign(process.env, place, isSet('CARAT_KEYSTORE_PASSPHRASE') ? {} : { CARAT_KEYSTORE_PASSPHRASE });
  if (process.argv[2] !== undefined) console.error(`carat: about the local stack in ${shown(stateDir)}`);
}
await import('../cli/main.ts');
