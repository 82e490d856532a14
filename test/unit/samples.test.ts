import { documents, samples, samplesOf } from '../support/samples.ts';

describe('the samples of the documents', () => {
  it('are all run by a test, or it is said why not', () => {
    const found = documents.flatMap(samplesOf).map(({ name }) => name);
    expect(found.toSorted((one, other) => one.localeCompare(other))).toEqual(
      Object.keys(samples).toSorted((one, other) => one.localeCompare(other)),
    );
  });
});
