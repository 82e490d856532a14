import { untilItWorks } from '../../workers/connect.ts';

it('a failure is logged when it begins, when its reason changes and when it ends, however long each attempt waited', async () => {
  const lines: string[] = [];
  const note = (message: string, fields?: object): void => void lines.push([message, JSON.stringify(fields)].join(' '));
  const reasons = ['exceeded after 10.004s,LB pick: 0.001s', 'exceeded after 9.999s,remote_addr=x', 'refused'];
  const work = () => {
    const reason = reasons.shift();
    return reason === undefined ? Promise.resolve('done') : Promise.reject(new Error(reason));
  };
  const log = { debug: note, info: note, warn: note, error: note };
  expect(await untilItWorks('Starting', work, { log, signal: new AbortController().signal })).toBe('done');
  expect(lines).toEqual([
    'Starting failed, trying again {"reason":"exceeded after 10.004s,LB pick: 0.001s"}',
    'Starting failed, trying again {"reason":"refused"}',
    'Starting works again ',
  ]);
});
