import { eventually } from './eventually.ts';

/** One series of a scrape. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const unescape = (text: string): string => text.replaceAll(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));

/** Parses the text format of Prometheus. @throws Error for a line that is none of it */
export const parseMetrics = (text: string): Series[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, inside = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`not a metric: ${line}`);
      const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, own]) => [key, unescape(own!)]);
      return { name, labels: Object.fromEntries(labels), value: Number(value!.replace('Inf', 'Infinity')) };
    });

/** Reads the metrics of a process. */
export const scrape = async (port: number): Promise<Series[]> => {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (!answer.ok) throw new Error(`the metrics answer ${answer.status}`);
  return parseMetrics(await answer.text());
};

/** The first scrape of a process of which this holds. */
export const scrapeWith = (port: number, holds: (all: Series[]) => boolean): Promise<Series[]> =>
  eventually(async () => {
    const all = await scrape(port);
    return holds(all) ? all : undefined;
  }, 45_000);

/** The value of the one series with this name and these labels; undefined without one. */
export const valueOf = (
  all: readonly Series[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined => {
  const found = all.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`${name} has ${found.length} such series`);
  return found[0]?.value;
};
