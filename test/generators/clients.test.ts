import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { javaClassPath, oapiCodegen, openapiGenerator, php, pythonPackages } from '../support/generators/tools.ts';
import { root } from '../../tools/paths.ts';
import { lastPart, type OpenApi, type Operation } from '../../tools/build/openapi.ts';
import { startApi } from '../api/support/api-under-test.ts';

/*
 * Clients that other projects' generators, each in a pinned version, make from the api's document.
 */
const api = await startApi();
const shop = await api.actor('shop');
const wallet = await api.wallet(shop);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-clients-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, 'openapi.json');
fs.writeFileSync(file, (await api.call('GET', '/openapi.json')).text);

type Served = OpenApi & { readonly webhooks: Record<string, { readonly post: Operation }> };
const document = JSON.parse(fs.readFileSync(file, 'utf8')) as Served;
const events = Object.values(document.webhooks).map(({ post }) => post);
const operations = [...Object.values(document.paths).flatMap((methods) => Object.values(methods)), ...events];

const report = (line: string): void => void process.stderr.write(`generators: ${line}\n`);

/** Runs a program to its end. Throws its output when it fails. */
const run = (command: string, args: string[], options: { cwd?: string; env?: object; input?: string } = {}) =>
  new Promise<string>((resolve, reject) => {
    const env = { ...process.env, NODE_OPTIONS: '', ...options.env };
    const child = spawn(command, args, {
      cwd: options.cwd ?? folder,
      env,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const [output, errors]: Buffer[][] = [[], []];
    child.stdout?.on('data', (chunk: Buffer) => output!.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => errors!.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const told = Buffer.concat(output!).toString();
      if (code === 0) resolve(told);
      else
        reject(
          new Error(
            `${command} ended (${code}): ${Buffer.concat(errors!).toString().slice(-4_000)}${told.slice(-4_000)}`,
          ),
        );
    });
    child.stdin?.end(options.input);
  });

/** Has openapi-generator write a client, and answers its sources as one text. */
const generate = async (language: string, ending: string, target = language, properties = ''): Promise<string> => {
  const args = ['generate', '-i', file, '-g', language, '-o', target];
  const more = properties === '' ? [] : ['--additional-properties', properties];
  await run('java', ['-XX:TieredStopAtLevel=1', '-jar', await openapiGenerator(report), ...args, ...more]);
  return sourcesOf(target, ending)
    .map((source) => fs.readFileSync(source, 'utf8'))
    .join('\n');
};
const sourcesOf = (target: string, ending: string): string[] =>
  fs
    .readdirSync(path.join(folder, target), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(folder, target, name));

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
/** Names of operations that the sources have no function for. */
const missingIn = (sources: string, functionOf: (name: string) => string): string[] =>
  operations.map(({ operationId }) => operationId).filter((name) => !sources.includes(functionOf(name)));

/** Every example of a schema with a name, in the whole document. */
const examplesOf = (): Record<string, unknown[]> => {
  const examples: Record<string, unknown[]> = {};
  for (const { requestBody, responses } of operations) {
    const contents = [requestBody, ...Object.values(responses)].map((part) => part?.content ?? {});
    for (const { schema, example } of contents.flatMap((content) => Object.values(content))) {
      if (schema?.$ref !== undefined && example !== undefined) (examples[lastPart(schema.$ref)] ??= []).push(example);
    }
  }
  return { ...examples, AnyEvent: events.map((event) => event.requestBody!.content['application/json']!.example) };
};
const examples = examplesOf();

/** A value without its nulls, and with times in one form: clients may omit nulls and format times anew. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return new Date(value).toISOString();
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
};

const expectDecoded = (decoded: Record<string, unknown[]>): void => {
  expect(Object.keys(examples).filter((name) => decoded[name] === undefined)).toEqual([]);
  for (const [name, made] of Object.entries(decoded)) {
    // A client may fill in defaults of a request.
    expect({ [name]: plain(made) }).toMatchObject({ [name]: plain(examples[name]) as object });
  }
};

interface Told {
  readonly amounts: [number, string][];
  readonly total: number;
  readonly refused: [status: number, code: string, isOfTheFirst: boolean][];
  readonly decoded: Record<string, unknown[]>;
  readonly oapi: Record<string, unknown[]>;
}

const amounts = [12.5, 0.1, 123_456_789.012_345];
const order = api.paymentBody({ wallet_id: wallet.id });
const input = JSON.stringify({ ...shop.credentials, payment: order, amounts, examples });
const expectPaid = ({ amounts: read, refused }: Told): void => {
  expect(read).toEqual([
    [12.5, '12500000'],
    [0.1, '100000'],
    [123_456_789.012_345, '123456789012345'],
  ]);
  expect(refused).toEqual([
    [409, 'payment_exists', true],
    [409, 'payment_exists_with_other_terms', true],
  ]);
};

it('Python: openapi-generator generates every operation, the client moves money, every example is decoded', async () => {
  const sources = await generate('python', '.py');
  expect(missingIn(sources, (name) => `def ${snakeCase(name)}(`)).toEqual([]);
  await run('python3', ['-m', 'compileall', '-q', path.join(folder, 'python/openapi_client')]);
  const env = { PYTHONPATH: [path.join(folder, 'python'), await pythonPackages(report)].join(path.delimiter) };
  await run('python3', ['-c', 'import openapi_client.api.events_api'], { env });
  const told = JSON.parse(
    await run('python3', [path.join(import.meta.dirname, 'use.py'), api.url], { env, input }),
  ) as Told;
  expectPaid(told);
  expectDecoded(told.decoded);
});

it('Go: openapi-generator and oapi-codegen generate every operation, a client moves money, every example is decoded', async () => {
  const module = path.join(folder, 'go');
  // Without the lookup a client for Go tries all schemas of a union, and does not look at their constants.
  const options = 'withGoMod=false,packageName=carat,useOneOfDiscriminatorLookup=true';
  const sources = await generate('go', '.go', 'go/carat', options);
  expect(missingIn(sources, (name) => `) ${pascalCase(name)}(`)).toEqual([]);
  for (const unused of ['test', 'docs', 'api'])
    fs.rmSync(path.join(module, 'carat', unused), { recursive: true, force: true });
  fs.mkdirSync(path.join(module, 'oapi'));
  const program = await oapiCodegen(report);
  await run(program, ['-package', 'oapi', '-generate', 'types,client', '-o', 'go/oapi/oapi.go', file]);
  const made = fs.readFileSync(path.join(module, 'oapi/oapi.go'), 'utf8');
  expect(missingIn(made, (name) => `) ${pascalCase(name)}(`)).toEqual([]);
  for (const name of ['go.mod', 'go.sum'])
    fs.copyFileSync(path.join(root, 'test/support/generators', name), path.join(module, name));
  fs.copyFileSync(path.join(import.meta.dirname, 'use.go'), path.join(module, 'use.go'));
  const decodes = Object.keys(examples).flatMap((name) => [
    `decoded["${name}"] = decode[carat.${name}](examples["${name}"])`,
    `other["${name}"] = decode[oapi.${name}](examples["${name}"])`,
  ]);
  fs.writeFileSync(
    path.join(module, 'decode.go'),
    `package main\n\nimport (\n"encoding/json"\n"carat/dev/generators/carat"\n"carat/dev/generators/oapi"\n)\n\n` +
      `func decodeAll(examples map[string][]json.RawMessage, decoded, other map[string][]any) {\n${decodes.join('\n')}\n}\n`,
  );
  await run('go', ['build', '-o', 'use', '.'], { cwd: module, env: { GOFLAGS: '' } });
  const told = JSON.parse(await run(path.join(module, 'use'), [api.url], { input })) as Told;
  expectPaid(told);
  expectDecoded(told.decoded);
  expectDecoded(told.oapi);
});

it('TypeScript: openapi-generator generates every operation, and the compiler accepts them', async () => {
  const sources = await generate('typescript-fetch', '.ts');
  expect(missingIn(sources, (name) => `async ${name}(`)).toEqual([]);
  const tsc = path.join(root, 'node_modules/typescript-7/bin/tsc');
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
  await run(tsc, [...options, '--lib', 'es2023,dom', 'index.ts'], { cwd: path.join(folder, 'typescript-fetch') });
});

it('Java: openapi-generator generates every operation, and the compiler accepts them', async () => {
  const sources = await generate('java', '.java', 'java', 'library=native');
  expect(missingIn(sources, (name) => ` ${name}(`)).toEqual([]);
  const files = sourcesOf('java/src/main', '.java');
  await run('javac', [
    '-encoding',
    'UTF-8',
    '-nowarn',
    '-proc:none',
    '-d',
    'classes',
    '-cp',
    await javaClassPath(report),
    ...files,
  ]);
});

it('PHP: openapi-generator generates every operation, and PHP parses them', async () => {
  const sources = await generate('php', '.php');
  expect(missingIn(sources, (name) => `function ${name}(`)).toEqual([]);
  const program = await php(report);
  for (const source of sourcesOf('php/lib', '.php')) await run(program, ['-n', '-l', source]);
});

it('C#: openapi-generator generates every operation', async () => {
  const sources = await generate('csharp', '.cs');
  expect(missingIn(sources, (name) => ` ${pascalCase(name)}Async(`)).toEqual([]);
});
