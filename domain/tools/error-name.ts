/** Class and code (SQLSTATE or Node's) of an error, for logs and alerts: the message of a database error may contain values. */
export const errorName = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error;
  const { name, code } = error as Error & { code?: unknown };
  return typeof code === 'string' ? `${name} ${code}` : name;
};
