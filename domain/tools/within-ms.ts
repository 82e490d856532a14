/** The result of `work`; undefined when it takes longer than `ms` milliseconds. Its failure after that concerns nobody. */
export const withinMs = async <Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
