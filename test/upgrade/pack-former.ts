import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import zlib from 'node:zlib';
import { formerFile } from './former.ts';
import { root } from '../../tools/paths.ts';

/*
 * node test/upgrade/pack-former.ts COMMIT
 *
 * Writes the files of a commit that the test of the upgrade runs as the version before, so that the test needs no history.
 */
const [commit = 'HEAD'] = process.argv.slice(2);
const left = ['test', 'tools/bench', 'client/example', 'docs/decisions', 'docs/operations'].map(
  (folder) => `:!${folder}`,
);
const archive = execFileSync('git', ['archive', commit, '--', ...left], { cwd: root, maxBuffer: 2 ** 30 });
const { BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_SIZE_HINT: size } = zlib.constants;
fs.writeFileSync(formerFile, zlib.brotliCompressSync(archive, { params: { [window]: 24, [size]: archive.length } }));
