import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { processIdentity } from '../../../tools/process/identity.mjs';
import { endRecorded, livingProcesses, recordProcess } from '../../../tools/process/records.ts';
import { startProcess, type ProcessOptions } from '../../../tools/process/process.ts';
import { takePlace } from '../../../tools/process/starter.ts';
import { eventually } from '../../support/eventually.ts';

let dir = '';
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-process-'));
});
afterEach(async () => {
  await endRecorded(path.join(dir, 'processes'), 0);
  fs.rmSync(dir, { recursive: true, force: true });
});

/** A Node process that runs `code`, recorded so that a failing test leaves nothing behind. */
const node = (code: string, options: Partial<ProcessOptions> = {}) =>
  startProcess({
    name: 'the program',
    command: process.execPath,
    args: ['--eval', code],
    logFile: path.join(dir, 'program.log'),
    isReady: () => Promise.resolve(true),
    onSpawn: (pid) => recordProcess(path.join(dir, 'processes'), 'program', pid),
    ...options,
  });

const wait = 'setInterval(() => {}, 1000);';
const logSays = (text: string) => (): boolean => fs.readFileSync(path.join(dir, 'program.log'), 'utf8').includes(text);

describe('a process of the local stack', () => {
  it('that ends early is an error with the end of its log', async () => {
    const start = node('console.error("no such file"); process.exit(3)', { isReady: () => Promise.resolve(false) });
    await expect(start).rejects.toThrow(/the program ended at once \(3\)\nno such file\n\(log: .*program\.log\)/);
  });

  it('that is not ready in time is an error with the reason, and is ended', async () => {
    const start = node(wait, { isReady: () => Promise.reject(new Error('port closed')), readyMs: 300 });
    await expect(start).rejects.toThrow('the program is not ready after 0.3 s: port closed');
    expect(livingProcesses(path.join(dir, 'processes'))).toEqual([]);
  });

  it('that cannot be started is an error that names the command', async () => {
    await expect(node('', { command: '/nowhere/program' })).rejects.toThrow('/nowhere/program');
  });

  it('is stopped by SIGTERM', async () => {
    const program = await node(`process.on('SIGTERM', () => process.exit(7)); console.log('up'); ${wait}`, {
      isReady: () => Promise.resolve(logSays('up')()),
    });
    await program.stop();
    expect(await program.exited).toBe(7);
  });

  it('that ignores SIGTERM is killed after the grace period', async () => {
    const program = await node(`process.on('SIGTERM', () => {}); console.log('up'); ${wait}`, {
      isReady: () => Promise.resolve(logSays('up')()),
      graceMs: 100,
    });
    await Promise.all([program.stop(), program.stop()]);
    expect(await program.exited).toBe('SIGKILL');
  });
});

describe('the records of processes', () => {
  it('end the recorded processes, and no others', async () => {
    const recorded = await node(wait);
    const other = await node(wait, { onSpawn: () => {} });
    const ended = await endRecorded(path.join(dir, 'processes'));
    expect(ended.map(({ pid, name }) => ({ pid, name }))).toEqual([{ pid: recorded.pid, name: 'program' }]);
    expect(await recorded.exited).toBe('SIGTERM');
    expect(processIdentity(other.pid)).toBeDefined();
    await other.stop();
  });

  it('end a process that starts meanwhile with SIGTERM, too', async () => {
    // It ends only once the other process is there.
    const slow = await node(
      `process.on('SIGTERM', () => setInterval(() => require('fs').existsSync('${dir}/second') && process.exit(), 20));
       console.log('up'); ${wait}`,
      { isReady: () => Promise.resolve(logSays('up')()) },
    );
    const ending = endRecorded(path.join(dir, 'processes'));
    const second = await node(wait);
    fs.writeFileSync(path.join(dir, 'second'), '');
    expect((await ending).map(({ pid }) => pid)).toEqual([slow.pid, second.pid]);
    expect(await second.exited).toBe('SIGTERM');
  });

  it('spare a later process with the same id', async () => {
    const program = await node(wait);
    const file = path.join(dir, 'processes', `${program.pid}.json`);
    const record = JSON.parse(fs.readFileSync(file, 'utf8')) as { identity: string };
    fs.writeFileSync(file, JSON.stringify({ ...record, identity: `${record.identity}0` }));
    expect(await endRecorded(path.join(dir, 'processes'))).toEqual([]);
    expect(processIdentity(program.pid)).toBe(record.identity);
    await program.stop();
  });

  it('hold nothing of a process that has ended', async () => {
    const program = await node(wait);
    await program.stop();
    expect(processIdentity(program.pid)).toBeUndefined();
  });
});

describe('the place of the starter', () => {
  /** Another process that has taken the place, as a starter does. */
  const otherStarter = (code: string) =>
    node(
      `import(${JSON.stringify(path.resolve('tools/process/starter.ts'))}).then(async ({ takePlace }) => {
         const place = await takePlace(${JSON.stringify(dir)}, () => {});
         console.log('taken');
         ${code}
       }); ${wait}`,
      { isReady: () => Promise.resolve(logSays('taken')()), onSpawn: () => {} },
    );

  it('is refused while another starter runs', async () => {
    const other = await otherStarter('');
    await expect(takePlace(dir, () => {})).rejects.toThrow(
      `is already running (process ${other.pid}); stop it with Ctrl-C`,
    );
    await other.stop();
  });

  it('is taken by one of those that start at the same moment', async () => {
    const starts = await Promise.allSettled([1, 2, 3].map(() => takePlace(dir, () => {})));
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const refused = starts.find((start) => start.status === 'rejected')!;
    expect(String(refused.reason)).toContain(`is already running (process ${process.pid})`);
  });

  it('is taken over from a killed one, whose processes are ended', async () => {
    const other = await otherStarter('');
    const leftover = await node(wait);
    process.kill(other.pid, 'SIGKILL');
    await other.exited;
    const lines: string[] = [];
    const place = await takePlace(dir, (line) => lines.push(line));
    expect(lines).toEqual([`ended leftovers of an earlier start: program (${leftover.pid})`]);
    expect(await leftover.exited).toBe('SIGTERM');
    place.free();
  });

  it('is waited for while another one is stopping', async () => {
    const other = await otherStarter('place.leave(); process.on("SIGTERM", () => { place.free(); process.exit(); });');
    const lines: string[] = [];
    const taking = takePlace(dir, (line) => lines.push(line));
    await eventually(() => lines.length > 0);
    expect(lines).toEqual([`waiting for process ${other.pid}, which is stopping`]);
    await other.stop();
    (await taking).free();
  });
});
