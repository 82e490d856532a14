import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { prepare as Prepare } from '../../tools/stack/prepare.ts';

/*
 * node test/upgrade/prepare-former.ts FOLDER OPTIONS
 *
 * Prepares a stack by the code of FOLDER, in a process of its own, because a test's process has this repository's modules.
 * OPTIONS are those of tools/stack/prepare.ts as JSON; so is the output.
 */
const [folder = '', options = ''] = process.argv.slice(2);
const file = pathToFileURL(path.join(folder, 'tools/stack/prepare.ts')).href;
const { prepare } = (await import(file)) as { prepare: typeof Prepare };
const prepared = await prepare({ ...JSON.parse(options), report: () => {} });
process.stdout.write(JSON.stringify(prepared));
