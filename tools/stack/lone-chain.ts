import fs from 'node:fs';
import path from 'node:path';
import { startChain } from './chain.ts';

/*
 * node tools/stack/lone-chain.ts FOLDER [PORT]
 *
 * The development chain of docker-compose.yml, saved in FOLDER and open to other machines. It mines a block each second until
 * SIGTERM.
 */
const [folder = '', port = '8545'] = process.argv.slice(2);
// anvil would silently lose everything in a folder that it cannot write to.
fs.accessSync(folder, fs.constants.W_OK);
const chain = await startChain({
  name: 'the development chain',
  host: '0.0.0.0',
  port: Number(port),
  chainId: 31_337,
  blockTime: 1,
  logFile: path.join(folder, 'anvil.log'),
  stateFile: path.join(folder, 'state.json'),
  cacheDir: path.join(folder, 'cache'),
});
console.log(`the development chain is ready on port ${port}`);
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopping = true;
    void chain.stop();
  });
}
const outcome = await chain.exited;
if (!stopping) console.error(`anvil ended (${outcome})`);
process.exit(stopping ? 0 : 1);
