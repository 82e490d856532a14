import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../paths.ts';
import { buildGo, cachedProgram, pinnedVersion, type GoModule, type Report } from './program.ts';

const run = promisify(execFile);

/** The Go module that Docker Compose is built from. */
const composeModule: GoModule = {
  name: 'Docker Compose',
  folder: 'dev/compose',
  module: 'github.com/docker/compose/v2',
  package: 'github.com/docker/compose/v2/cmd',
  seconds: 120,
};

/**
 * Path of Docker Compose in the pinned version, built once per user.
 * @throws Error that says what is missing
 */
const composeProgram = (report: Report): Promise<string> => {
  const version = pinnedVersion(composeModule);
  const explain = ([problem]: readonly string[]): string =>
    `Docker Compose ${version} could not be built from dev/compose (that needs Go, https://go.dev/dl): ${problem}`;
  const module = { ...composeModule, ldflags: `-X ${composeModule.module}/internal.Version=v${version}` };
  const ways = [(target: string) => buildGo(target, module, process.env, report)];
  return cachedProgram({ name: 'docker-compose', version, proof: ['version'], ways, explain }, process.env, report);
};

/** A variable of .env.example and, if it must be filled in, the command that makes its value. */
export interface ExampleVariable {
  readonly name: string;
  readonly command: string | null;
}

/** The variables of .env.example: those to fill in, each under its command, and optional ones behind a #. */
export const exampleVariables = (text: string): ExampleVariable[] =>
  [...text.matchAll(/(?:^# \$ (.+)\n)?^(?:# )?([A-Z_]+)=/gm)].map(([, command = null, name = '']) => ({
    name,
    command,
  }));

/** The text of .env.example with each variable filled in by its command. */
export const filledExample = async (text: string): Promise<string> => {
  const lines = exampleVariables(text).map(async ({ name, command }) =>
    command === null ? '' : `${name}=${(await run('sh', ['-c', command])).stdout.trim()}\n`,
  );
  return (await Promise.all(lines)).join('');
};

/**
 * Reads docker-compose.yml with the real Docker Compose and all profiles; needs no Docker daemon.
 * @param environment text of the file .env
 * @throws Error with the errors and warnings of Compose
 */
export const composeConfig = async (environment: string, report: Report = () => {}): Promise<unknown> => {
  const program = await composeProgram(report);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-compose-'));
  try {
    const file = path.join(folder, '.env');
    fs.writeFileSync(file, environment, { mode: 0o600 });
    const args = ['--file', path.join(root, 'docker-compose.yml'), '--env-file', file, '--profile', '*'];
    // This machine's environment must not fill in missing variables.
    const options = { env: { PATH: process.env.PATH, HOME: folder } };
    const { stdout, stderr } = await run(program, [...args, 'config', '--format', 'json'], options);
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};
