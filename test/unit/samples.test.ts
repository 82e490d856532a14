import { entries } from '../../cli/entries.ts';
import { documents, read, samples, samplesOf } from '../support/samples.ts';

describe('the samples of the documents', () => {
  it('are all run by a test, or give a reason why not', () => {
    const found = documents.flatMap(samplesOf).map(({ name }) => name);
    expect(found.toSorted((one, other) => one.localeCompare(other))).toEqual(
      Object.keys(samples).toSorted((one, other) => one.localeCompare(other)),
    );
  });
});

describe('the commands of documents and examples', () => {
  const files = [...documents, 'install/catalogue.example.yaml', 'docker-compose.yml', '.env.example'];
  /** The words after `before`, wherever a command begins with it. */
  const named = (before: RegExp): { file: string; command: string }[] =>
    files.flatMap((file) =>
      [...read(file).matchAll(new RegExp(`${before.source}(?:-- )?([^\`\\n]*)`, 'g'))].map(([, command = '']) => ({
        file,
        command,
      })),
    );
  const unknown = (found: ReturnType<typeof named>, known: readonly string[]): unknown[] => {
    expect(found.length).toBeGreaterThan(10);
    return found.filter(({ command }) => !known.some((name) => `${command} `.startsWith(`${name} `)));
  };

  it('are commands of carat', () => {
    const names = entries.map(({ name }) => name);
    const found = named(/(?:`|`npm run |compose run --rm )carat /);
    expect(unknown(found, [...names, 'help', '--help', '…'])).toEqual([]);
  });

  it('are scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(unknown(named(/npm run (?:--silent |-s )?/), Object.keys(scripts))).toEqual([]);
  });
});

it.each(entries)('carat $name is exported by its file', async ({ load }) => {
  expect(await load()).toMatchObject({ config: expect.any(Array), run: expect.any(Function) });
});
