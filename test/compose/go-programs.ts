import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { cachedProgram, type Report } from '../../tools/stack/program.ts';

const run = promisify(execFile);

/** A program of a published Go module. Go checks the module against its public log of checksums. */
interface Published {
  readonly name: string;
  readonly module: string;
  readonly version: string;
  /** Folder of the program in the module. */
  readonly folder: string;
  readonly proof: string[];
  /** Such as values of variables of the linker. */
  readonly flags?: string;
}

/** Builds a program once per user. */
const published = (program: Published, report: Report): Promise<string> => {
  const { name, module, version, folder, proof, flags = '' } = program;
  const build = async (target: string): Promise<void> => {
    report(`building ${name} ${version} from its Go module, once for this user: minutes`);
    const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-go-'));
    const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
    const ticker = setInterval(() => report(`still building ${name}`), 30_000);
    try {
      fs.writeFileSync(path.join(cwd, 'go.mod'), 'module carat/built\n');
      await run('go', ['get', `${module}/${folder}@v${version}`], { cwd, env });
      await run('go', ['build', '-trimpath', '-ldflags', `-s -w ${flags}`, '-o', target, `${module}/${folder}`], {
        cwd,
        env,
      });
    } finally {
      clearInterval(ticker);
      fs.rmSync(cwd, { recursive: true, force: true });
    }
  };
  const explain = ([problem = '']: readonly string[]): string => `${name} could not be built: ${problem}`;
  return cachedProgram({ name, version, proof, ways: [build], explain }, process.env, report);
};

const temporal = { module: 'go.temporal.io/server', version: '1.31.2' };

/** Temporal's server, and the tool that makes its schema. */
export const temporalServer = (report: Report): Promise<string> =>
  published({ ...temporal, name: 'temporal-server', folder: 'cmd/server', proof: ['--version'] }, report);
export const temporalSqlTool = (report: Report): Promise<string> =>
  published({ ...temporal, name: 'temporal-sql-tool', folder: 'cmd/tools/sql', proof: ['--version'] }, report);

const ui = { module: 'github.com/temporalio/ui-server/v2', version: '2.50.1' };
export const temporalUi = (report: Report): Promise<string> =>
  published({ ...ui, name: 'temporal-ui', folder: 'cmd/server', proof: ['--version'] }, report);

const caddyModule = { module: 'github.com/caddyserver/caddy/v2', version: '2.10.2' };
export const caddy = (report: Report): Promise<string> =>
  published({ ...caddyModule, name: 'caddy', folder: 'cmd/caddy', proof: ['version'] }, report);

/** The command `docker compose`. */
export const composePlugin = (report: Report): Promise<string> => {
  const module = 'github.com/docker/compose/v2';
  const flags = `-X ${module}/internal.Version=v2.40.3`;
  return published(
    { name: 'docker-compose', module, version: '2.40.3', folder: 'cmd', proof: ['version'], flags },
    report,
  );
};

/** A file of a module whose program is built, by its path there. */
export const fileOf = async (
  { module, version }: { module: string; version: string },
  file: string,
): Promise<string> => {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${module}@v${version}`], { cwd: os.tmpdir() });
  return fs.readFileSync(path.join((JSON.parse(stdout) as { Dir: string }).Dir, file), 'utf8');
};

/** The scripts with which the published images start their programs, and the configuration of the UI. */
export const publishedFiles = async () => ({
  server: await fileOf(temporal, 'docker/scripts/sh/entrypoint.sh'),
  ui: await fileOf(ui, 'docker/start-ui-server.sh'),
  uiConfig: await fileOf(ui, 'config/docker.yaml'),
});
