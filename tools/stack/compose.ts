import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { Ajv, type ValidateFunction } from 'ajv';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { root } from '../paths.ts';

const run = promisify(execFile);

/** The Go module that publishes the schema of composition files, and its checksum, which also stands in Go's public log. */
const composeModule = {
  version: 'github.com/compose-spec/compose-go/v2@v2.9.1',
  sum: 'h1:8UwI+ujNU+9Ffkf/YgAm/qM9/eU7Jn8nHzWG721W4rs=',
};

/** The published schema, which Go downloads once per user. */
const composeSchema = async (): Promise<object> => {
  const args = ['mod', 'download', '-json', composeModule.version];
  const { stdout } = await run('go', args, { cwd: os.tmpdir() }).catch((error: Error) => {
    const need = 'The schema of docker-compose.yml could not be downloaded (that needs Go, https://go.dev/dl)';
    throw new Error(`${need}: ${error.message}`);
  });
  const { Dir: folder, Sum: sum } = JSON.parse(stdout) as { Dir: string; Sum: string };
  if (sum !== composeModule.sum) throw new Error(`${composeModule.version} has the checksum ${sum}`);
  return JSON.parse(fs.readFileSync(path.join(folder, 'schema/compose-spec.json'), 'utf8')) as object;
};

let validating: Promise<ValidateFunction> | undefined;
/** Checks the shape of a composition. */
const validator = (): Promise<ValidateFunction> =>
  (validating ??= composeSchema().then((schema) => {
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    return ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
  }));

const reference = /\$(?:\$|\{([A-Z_]+)(?:(:[-+])((?:[^${}]|\$\{[A-Z_]+:-\})*))?\})/g;

/**
 * A text with its variables filled in as Compose does it (Compose Specification, Interpolation): `$$`, `${NAME}`,
 * `${NAME:-default}` and `${NAME:+text}`, whose text may have variables itself.
 * @throws Error for any other use of `$`
 */
export const interpolate = (text: string, variables: Readonly<Record<string, string | undefined>>): string => {
  if (text.replaceAll(reference, '').includes('$')) throw new Error(`unknown interpolation in ${text}`);
  return text.replaceAll(reference, (whole, name: string | undefined, operator: string | undefined, word = '') => {
    if (name === undefined) return whole.slice(1);
    const value = variables[name] ?? '';
    if (operator === undefined) return value;
    if (operator === ':-') return value === '' ? interpolate(word, variables) : value;
    return value === '' ? '' : interpolate(word, variables);
  });
};

const interpolateAll = (value: unknown, variables: Readonly<Record<string, string | undefined>>): unknown => {
  if (typeof value === 'string') return interpolate(value, variables);
  if (Array.isArray(value)) return value.map((element) => interpolateAll(element, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, interpolateAll(field, variables)]));
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

/** docker-compose.yml before its variables are filled in. */
export const readComposition = (): unknown =>
  load(fs.readFileSync(path.join(root, 'docker-compose.yml'), 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) });

/**
 * docker-compose.yml with its variables filled in, checked against the published schema. It needs no Docker.
 * @param environment text of the file .env
 * @throws Error with every place that breaks the schema
 */
export const composeConfig = async (environment: string): Promise<unknown> => {
  const composition = interpolateAll(readComposition(), parseEnv(environment));
  const validate = await validator();
  if (validate(composition)) return composition;
  throw new Error((validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('\n'));
};
