import type { Answer } from './api-under-test.ts';

/** Status and code; the code is undefined unless the answer is a refusal. */
export const codeOf = ({ status, body }: Answer): [status: number, code: string | undefined] => [status, body?.code];

/** Paths of the fields that a refusal names. */
export const pathsOf = ({ body }: Answer): string[] => body.errors.map(({ path }: { path: string }) => path);

/** Ids of the items of a list, in its order. */
export const idsOf = ({ body }: Answer): string[] => body.items.map(({ id }: { id: string }) => id);

/** The body of a 201; throws any other answer. */
export const created = async (answer: Promise<Answer>): Promise<Answer['body']> => {
  const { status, body, text } = await answer;
  if (status !== 201) throw new Error(text);
  return body;
};

/** Does something so many times at once. */
export const together = <Result>(count: number, send: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, send));

/** Statuses of answers in ascending order. */
export const statusesOf = (answers: readonly Answer[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);
