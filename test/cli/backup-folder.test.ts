import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readBackup, writeBackup, type Manifest } from '../../cli/backup/files.ts';
import { digestOfFile } from '../../db/backup/dump.ts';

/* The folder of a backup, while several are written, and after some were killed. */

let dir: string;
beforeEach(() => (dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-folder-'))));
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const write = (file: string, text = 'rows'): void => fs.writeFileSync(file, text, { flag: 'wx' });

const manifestOf = async (pathOf: (file: string) => string, files: readonly string[], id = 'x'): Promise<Manifest> => ({
  format: 1,
  id,
  carat: '0',
  master_key: null,
  copies: {},
  at: '',
  postgres: '18.4',
  migrations: [],
  sequences: {},
  networks: [],
  tables: await Promise.all(
    files.map(async (file) => ({ name: file, columns: [], file, rows: 0, ...(await digestOfFile(pathOf(file))) })),
  ),
});

const FILES = ['a.copy.gz', 'b.copy.gz'] as const;

/** A whole backup whose tables have this text. */
const make = (target: string, text = 'rows', id?: string): Promise<Manifest> =>
  writeBackup(target, (pathOf) => {
    for (const file of FILES) write(pathOf(file), text);
    return manifestOf(pathOf, FILES, id);
  });

const read = (target: string): Promise<Manifest> => readBackup(target, () => {});

it('a backup holds one moment, although another command writes to the same place and fails', async () => {
  const target = path.join(dir, 'today');
  await writeBackup(target, async (pathOf) => {
    write(pathOf('a.copy.gz'), 'of this moment');
    // A timer and a person, or two timers.
    await expect(
      writeBackup(target, (other) => {
        write(other('a.copy.gz'), 'of another');
        return Promise.reject(new Error('the connection was lost'));
      }),
    ).rejects.toThrow('the connection was lost');
    write(pathOf('b.copy.gz'));
    return manifestOf(pathOf, FILES);
  });
  await expect(read(target)).resolves.toMatchObject({ id: 'x' });
  expect(fs.readFileSync(path.join(target, 'a.copy.gz'), 'utf8')).toBe('of this moment');
  // A command that fails leaves nothing.
  expect(fs.readdirSync(dir)).toEqual(['today']);
});

it('the first of two backups at one place wins; the other one fails, and changes nothing', async () => {
  const target = path.join(dir, 'today');
  await expect(
    writeBackup(target, async (pathOf) => {
      write(pathOf('a.copy.gz'), 'of the slower one');
      await make(target, 'of the faster one');
      return manifestOf(pathOf, ['a.copy.gz']);
    }),
  ).rejects.toThrow(`${target} exists; a backup is a new folder`);
  await expect(read(target)).resolves.toMatchObject({ id: 'x' });
  expect(fs.readFileSync(path.join(target, 'a.copy.gz'), 'utf8')).toBe('of the faster one');
  expect(fs.readdirSync(dir)).toEqual(['today']);
});

it('a backup may be named with a slash at the end, as a shell completes it', async () => {
  const target = path.join(dir, 'slash');
  await make(`${target}/`);
  await expect(read(`${target}/`)).resolves.toMatchObject({ id: 'x' });
  await expect(make(`${target}/`)).rejects.toThrow('exists');
});

it('the half backup of a killed command is removed by a later backup beside it, and no other folder is', async () => {
  const [dead, living, own] = ['monday.0123abcd.partial', 'tuesday.89abcdef.partial', 'mine.partial'];
  const old = new Date(Date.now() - 2 * 3_600_000);
  const earlier = 'sunday.partial';
  for (const name of [dead, living, own, earlier]) {
    fs.mkdirSync(path.join(dir, name));
    write(path.join(dir, name, 'a.copy.gz'));
  }
  write(path.join(dir, own, 'notes.txt'));
  for (const name of [dead, own, earlier]) {
    for (const file of fs.readdirSync(path.join(dir, name))) fs.utimesSync(path.join(dir, name, file), old, old);
    fs.utimesSync(path.join(dir, name), old, old);
  }
  await make(path.join(dir, 'wednesday'));
  expect(fs.readdirSync(dir).sort()).toEqual([own, living, 'wednesday'].sort());
});

it.each<[string, (folder: string, other: string) => void]>([
  [
    'a table of another backup',
    (folder, other) => fs.cpSync(path.join(other, 'a.copy.gz'), path.join(folder, 'a.copy.gz')),
  ],
  ['one more table', (folder) => write(path.join(folder, 'c.copy.gz'))],
  [
    'the manifest of another backup',
    (folder, other) => fs.cpSync(path.join(other, 'manifest.json'), path.join(folder, 'manifest.json')),
  ],
])('a backup with %s is refused, even if the checksums are made to fit', async (_, mix) => {
  const [target, other] = [path.join(dir, 'today'), path.join(dir, 'yesterday')];
  await make(target, 'of today', 'today');
  await make(other, 'of yesterday', 'yesterday');
  mix(target, other);
  await expect(read(target)).rejects.toThrow(/is not of this backup|was changed/);
  const files = fs.readdirSync(target).filter((file) => file !== 'SHA256SUMS');
  const sums = await Promise.all(
    files.map(async (file) => `${(await digestOfFile(path.join(target, file))).sha256}  ${file}\n`),
  );
  fs.writeFileSync(path.join(target, 'SHA256SUMS'), sums.join(''));
  await expect(read(target)).rejects.toThrow('copy.gz is not of this backup: the folder has files of two');
});

describe('a backup beside the folders of others', () => {
  const as = async (uid: number, work: () => Promise<unknown>): Promise<void> => {
    process.seteuid!(uid);
    try {
      await work();
    } finally {
      process.seteuid!(0);
    }
  };

  it('is not prevented by a dead folder of another user', async () => {
    fs.chmodSync(dir, 0o1777);
    const dead = path.join(dir, 'monday.0123abcd.partial');
    fs.mkdirSync(dead, { mode: 0o700 });
    write(path.join(dead, 'a.copy.gz'));
    const old = new Date(Date.now() - 2 * 3_600_000);
    fs.utimesSync(dead, old, old);
    await as(65_534, () => make(path.join(dir, 'tuesday')));
    await expect(read(path.join(dir, 'tuesday'))).resolves.toMatchObject({ id: 'x' });
  });

  it('goes into a folder to which the user may write, and which it may not list', async () => {
    fs.chmodSync(dir, 0o1733);
    await as(65_534, () => make(path.join(dir, 'tuesday')));
    await expect(read(path.join(dir, 'tuesday'))).resolves.toMatchObject({ id: 'x' });
  });

  it('refuses a dangling link at its place before the dump', async () => {
    const target = path.join(dir, 'latest');
    fs.symlinkSync(path.join(dir, 'gone'), target);
    let dumped = false;
    await writeBackup(target, (pathOf) => {
      dumped = true;
      for (const file of FILES) write(pathOf(file));
      return manifestOf(pathOf, FILES);
    }).catch(() => undefined);
    expect(dumped).toBe(false);
  });

  it('is refused with the catalogue of another backup, even if the checksums are made to fit', async () => {
    const target = path.join(dir, 'today');
    await writeBackup(target, async (pathOf) => {
      write(pathOf('catalogue.yaml'), 'of today');
      for (const file of FILES) write(pathOf(file));
      return { ...(await manifestOf(pathOf, FILES)), copies: { catalogue: 'catalogue.yaml' } };
    });
    fs.writeFileSync(path.join(target, 'catalogue.yaml'), 'of yesterday');
    const files = fs.readdirSync(target).filter((file) => file !== 'SHA256SUMS');
    const sums = await Promise.all(
      files.map(async (file) => `${(await digestOfFile(path.join(target, file))).sha256}  ${file}\n`),
    );
    fs.writeFileSync(path.join(target, 'SHA256SUMS'), sums.join(''));
    await expect(read(target)).rejects.toThrow('catalogue.yaml is not of this backup: the folder has files of two');
  });
});
