import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../paths.ts';
import { cacheDir } from '../process/cache.mjs';
import { takeLock } from '../process/lock.mjs';

const run = promisify(execFile);
const requirements = path.join(import.meta.dirname, 'requirements.txt');

/**
 * The folder of halmos' and slither's programs: a Python virtual environment in the user's cache, created once per set
 * of requirements, in about a minute.
 * @param report receives progress lines
 * @throws Error that names what the machine lacks
 */
export const pythonTools = async (report: (line: string) => void): Promise<string> => {
  const version = await pythonVersion();
  const digest = createHash('sha256').update(fs.readFileSync(requirements)).update(version).digest('hex');
  const folder = path.join(cacheDir(), `prove-${digest.slice(0, 16)}`);
  const bin = path.join(folder, 'bin');
  const complete = path.join(folder, 'complete');
  if (fs.existsSync(complete)) return bin;
  const unlock = await takeLock(`${folder}.lock`, (pid) =>
    report(`waiting for process ${pid}, which is installing them`),
  );
  const started = Date.now();
  const ticker = setInterval(() => report(`still installing, ${secondsSince(started)} s of about 60 s`), 10_000);
  try {
    if (fs.existsSync(complete)) return bin;
    report(`installing halmos and slither for Python ${version} from PyPI, about a minute, once for this user`);
    fs.rmSync(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder]).catch((error: Error) => {
      throw new Error(`python3 has no module venv (on Debian: the package python3-venv): ${lastLine(error)}`);
    });
    const pip = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--require-hashes',
      '-r',
      requirements,
    ];
    await run(path.join(bin, 'python3'), pip).catch((error: Error) => {
      throw new Error(`pip could not install tools/prove/requirements.txt; is PyPI reachable? ${lastLine(error)}`);
    });
    fs.writeFileSync(complete, '');
    report(`halmos and slither were installed in ${secondsSince(started)} s`);
    return bin;
  } finally {
    clearInterval(ticker);
    unlock();
  }
};

const pythonVersion = async (): Promise<string> => {
  const script = 'import sys; print("%d.%d.%d" % sys.version_info[:3])';
  const { stdout } = await run('python3', ['-c', script]).catch(() => {
    throw new Error('python3 is not on the PATH: proofs need Python 3.11 or newer with its modules venv and pip');
  });
  const version = stdout.trim();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 3 && minor >= 11) return version;
  throw new Error(`python3 is ${version}: proofs need Python 3.11 or newer`);
};

const lastLine = (error: Error & { stderr?: string }): string =>
  (error.stderr?.trim() || error.message).split('\n').at(-1)!;

const secondsSince = (started: number): number => Math.round((Date.now() - started) / 1000);

/** Folders that decide the outcome, besides the compiler and the Python tools. */
const folders = ['contracts', 'test/proofs', 'tools/prove', 'tools/build/contracts'];
/** Files that slither reads where they exist. */
const settings = ['foundry.toml', 'slither.config.json', 'slither.conf.json', 'slither.db.json'];

const filesIn = (tree: string, folder: string): string[] =>
  fs
    .readdirSync(path.join(tree, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => fs.statSync(path.join(tree, file)).isFile())
    .sort();

/** A hash of everything in the repository, with the version of the compiler, that decides the outcome. */
export const digestOfInputs = (tree = root): string => {
  const solc = createRequire(import.meta.url)('solc/package.json') as { version: string };
  const hash = createHash('sha256').update(solc.version);
  const present = settings.filter((file) => fs.existsSync(path.join(tree, file)));
  for (const file of [...present, ...folders.flatMap((folder) => filesIn(tree, folder))])
    hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(tree, file)));
  return hash.digest('hex');
};

/** The last whole run in which everything passed, as it is committed. */
const recordFile = path.join(root, 'docs/contracts/proved.json');

interface PassedRun {
  /** `digestOfInputs` of that run. */
  readonly inputs: string;
  /** Its last line. */
  readonly line: string;
}

/** The last line of the recorded run; null when it had other inputs. */
export const passedBefore = (digest: string, file = recordFile): string | null => {
  if (!fs.existsSync(file)) return null;
  const { inputs, line } = JSON.parse(fs.readFileSync(file, 'utf8')) as PassedRun;
  return inputs === digest ? line : null;
};

/** Records a whole run in which everything passed. */
export const rememberPassed = (digest: string, line: string, file = recordFile): void => {
  const passed: PassedRun = { inputs: digest, line };
  fs.writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(passed, null, 2)}\n`);
  fs.renameSync(`${file}.${process.pid}`, file);
};
