import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pinnedVersion } from '../../../dev/stack/program.ts';
import { temporalBinary, temporalModule } from '../../../dev/stack/temporal-binary.ts';

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

const refuse = (): Promise<void> => Promise.reject(new Error('the host was not found'));
const put = (file: string, content = program): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content, { mode: 0o755 });
};
const download = (folder: string): Promise<void> => {
  put(path.join(folder, 'temporal-sdk-typescript-0.0.0'));
  return Promise.resolve();
};

describe('the temporal program', () => {
  it('on the PATH comes first', async () => {
    put(path.join(dir, 'bin/temporal'));
    put(path.join(dir, 'cache', name));
    expect(await temporalBinary({ env, download: refuse })).toBe(path.join(dir, 'bin/temporal'));
  });

  it('in the cache of this user comes next, without a request', async () => {
    put(path.join(dir, 'cache', name));
    expect(await temporalBinary({ env, download: refuse })).toBe(path.join(dir, 'cache', name));
  });

  it('is downloaded by the SDK and kept in the cache', async () => {
    expect(await temporalBinary({ env, download })).toBe(path.join(dir, 'cache', name));
    expect(fs.readdirSync(path.join(dir, 'cache'))).toEqual([name]);
  });

  it('is built by Go where it cannot be downloaded', async () => {
    // Stands in for Go, which would take five minutes: it writes the program to the path after -o.
    put(
      path.join(dir, 'bin/go'),
      `#!/bin/sh\nprintf '${program.replaceAll('\n', '\\n')}' > "$6" && /bin/chmod 755 "$6"\n`,
    );
    const lines: string[] = [];
    const report = (line: string): void => void lines.push(line);
    expect(await temporalBinary({ env, download: refuse, report })).toBe(path.join(dir, 'cache', name));
    expect(lines[1]).toContain('building Temporal from its Go module: about 5 minutes');
  });

  it('is made once by two starts at the same time', async () => {
    let downloads = 0;
    const counted = async (folder: string): Promise<void> => {
      downloads += 1;
      await download(folder);
    };
    const both = await Promise.all([1, 2].map(() => temporalBinary({ env, download: counted })));
    expect(new Set(both)).toEqual(new Set([path.join(dir, 'cache', name)]));
    expect(downloads).toBe(1);
  });

  it('that cannot be had is an error that names all four ways', async () => {
    const attempt = temporalBinary({ env, download: refuse });
    await expect(attempt).rejects.toThrow('TEMPORAL_ADDRESS');
    await expect(attempt).rejects.toThrow('on the PATH');
    await expect(attempt).rejects.toThrow('tried now: the host was not found');
    await expect(attempt).rejects.toThrow('install Go (https://go.dev/dl)');
    expect(fs.readdirSync(path.join(dir, 'cache'))).toEqual([]);
  });
});
