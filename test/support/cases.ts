/**
 * The number of cases of a randomised test: the number in the environment variable, else `all` in a run of all tests, which gates
 * every change (`npm run test:all`), and `few` in `npm test`: enough to show a judge that no longer finds anything.
 */
export const cases = (variable: string, { few, all }: { readonly few: number; readonly all: number }): number =>
  Number(process.env[variable] ?? (process.env['CARAT_TEST_CASES'] === 'all' ? all : few));
