import http from 'node:http';

/*
 * The browsers' process of tools/bench/pages: opens streams, and notes when events arrive.
 */

/** The questions of the bench to the browsers. */
export type PagesJob =
  | { readonly open: { readonly url: string; readonly pages: readonly (readonly [id: string, token: string])[] } }
  /** Answers once so many events have arrived since the last answer. */
  | { readonly arrivals: number };

/** Arrivals of events, in milliseconds since the epoch. */
export type PagesAnswer = readonly number[];

let arrivals: number[] = [];
let whenEnough = (): void => {};

const open = (url: string, id: string, token: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
    http
      .get(`${url}/api/v1/widget/payments/${id}/events`, { agent: false, headers }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`a stream is answered ${response.statusCode}`));
        response.on('data', (chunk: Buffer) => {
          const events = chunk.toString().split('event: state').length - 1;
          const now = Date.now();
          for (let event = 0; event < events; event += 1) arrivals.push(now);
          whenEnough();
          resolve();
        });
        response.on('error', reject);
      })
      .on('error', reject);
  });

const enough = async (count: number): Promise<PagesAnswer> => {
  await new Promise<void>((resolve) => {
    whenEnough = () => {
      if (arrivals.length >= count) resolve();
    };
    whenEnough();
  });
  const seen = arrivals;
  arrivals = [];
  return seen;
};

/** Opens pages a hundred at a time, as after a restart. */
const openAll = async ({ url, pages }: Extract<PagesJob, { open: unknown }>['open']): Promise<PagesAnswer> => {
  for (let at = 0; at < pages.length; at += 100) {
    await Promise.all(pages.slice(at, at + 100).map(([id, token]) => open(url, id, token)));
  }
  return enough(pages.length);
};

process.on('message', (job: PagesJob) => {
  const done = 'open' in job ? openAll(job.open) : enough(job.arrivals);
  void done.then((answer) => process.send!(answer));
});
