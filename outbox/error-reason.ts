/** Joins the messages of an error and its causes, because the message of Temporal's client names only the call. */
export const reasonOf = (error: unknown): string => {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  return messages.join(': ');
};
