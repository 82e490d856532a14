import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cached } from '../../../tools/process/cache.mjs';
import {
  buildGo,
  cachedProgram,
  pinnedVersion,
  which,
  type GoModule,
  type Report,
} from '../../../tools/stack/program.ts';

const run = promisify(execFile);
const folder = import.meta.dirname;

/** A file of Maven Central; its path has its name and version. */
interface Jar {
  readonly path: string;
  readonly sha256: string;
}

const generator: Jar = {
  path: 'org/openapitools/openapi-generator-cli/7.25.0/openapi-generator-cli-7.25.0.jar',
  sha256: '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae',
};

/** Libraries of generated Java clients. */
const libraries: readonly Jar[] = [
  {
    path: 'com/fasterxml/jackson/core/jackson-core/2.21.5/jackson-core-2.21.5.jar',
    sha256: 'b64b5874162b503a0e58a8f7758266e8dd9f91bf49e3a59ae0b5f47589a231b7',
  },
  {
    path: 'com/fasterxml/jackson/core/jackson-annotations/2.21/jackson-annotations-2.21.jar',
    sha256: '53ca085f4a150f703f49e1aabd935bd03b43e1ea3d55d135438292af22cef56b',
  },
  {
    path: 'com/fasterxml/jackson/core/jackson-databind/2.21.5/jackson-databind-2.21.5.jar',
    sha256: '507418c0fafd38b2b2cfb704521630da613a8e4cc8381195a6f418017883e2c0',
  },
  {
    path: 'com/fasterxml/jackson/datatype/jackson-datatype-jsr310/2.21.5/jackson-datatype-jsr310-2.21.5.jar',
    sha256: 'e941f9718d16a649614cb06711de06da34722afff9cee0b7725fc5318638304c',
  },
  {
    path: 'org/openapitools/jackson-databind-nullable/0.2.11/jackson-databind-nullable-0.2.11.jar',
    sha256: '07417c949d66a67eb8bc1e919f3f1f13a741badf8b4fcbd39ac16a509d38d34c',
  },
  {
    path: 'com/google/code/findbugs/jsr305/3.0.2/jsr305-3.0.2.jar',
    sha256: '766ad2a0783f2687962c8ad74ceecc38a28b9f72a2d085ee438b7813e928d0c7',
  },
  {
    path: 'jakarta/annotation/jakarta.annotation-api/1.3.5/jakarta.annotation-api-1.3.5.jar',
    sha256: '85fb03fc054cdf4efca8efd9b6712bbb418e1ab98241c4539c8585bbc23e1b8a',
  },
];

const fetchJar = ({ path: place, sha256 }: Jar, report: Report): Promise<string> =>
  cached(path.basename(place), report, async (target) => {
    const url = `https://repo1.maven.org/maven2/${place}`;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== sha256) throw new Error(`${url} has the digest ${found}, not ${sha256}`);
    fs.writeFileSync(target, bytes);
  });

/** Path of openapi-generator. */
export const openapiGenerator = (report: Report): Promise<string> => fetchJar(generator, report);

/** The class path for compiling a Java client. */
export const javaClassPath = async (report: Report): Promise<string> =>
  (await Promise.all(libraries.map((jar) => fetchJar(jar, report)))).join(path.delimiter);

/** Folder of the packages that a generated Python client imports. */
export const pythonPackages = async (report: Report): Promise<string> => {
  const requirements = path.join(folder, 'requirements.txt');
  const { stdout: version } = await run('python3', ['--version']);
  const digest = createHash('sha256').update(fs.readFileSync(requirements)).update(version).digest('hex');
  return cached(`python-clients-${digest.slice(0, 16)}`, report, async (target) => {
    const options = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '--target', target];
    await run('python3', ['-m', 'pip', 'install', '--quiet', ...options, '-r', requirements]);
  });
};

const oapiModule: GoModule = {
  name: 'oapi-codegen',
  folder: 'test/support/generators',
  module: 'github.com/oapi-codegen/oapi-codegen/v2',
  package: 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen',
  seconds: 40,
};

/** Path of oapi-codegen. */
export const oapiCodegen = (report: Report): Promise<string> => {
  const version = pinnedVersion(oapiModule);
  const ways = [(target: string) => buildGo(target, oapiModule, process.env, report)];
  const explain = ([problem]: readonly string[]): string => `oapi-codegen ${version} could not be built: ${problem}`;
  return cachedProgram({ name: 'oapi-codegen', version, proof: ['-version'], ways, explain }, process.env, report);
};

/**
 * Path of PHP: the one on the PATH, else the program of Debian's package, unpacked without installing it.
 * @throws Error when neither is available
 */
export const php = async (report: Report): Promise<string> => {
  const installed = await which('php', process.env);
  if (installed !== undefined) return installed;
  const unpacked = await cached('php-8.2', report, async (target) => {
    fs.mkdirSync(target);
    await run('apt-get', ['download', '--quiet', 'php8.2-cli'], { cwd: target }).catch((error: Error) => {
      throw new Error(`php is not on the PATH, and Debian's package php8.2-cli cannot be downloaded: ${error.message}`);
    });
    const [file = ''] = fs.readdirSync(target).filter((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['-x', path.join(target, file), target]);
  });
  return path.join(unpacked, 'usr/bin/php8.2');
};
