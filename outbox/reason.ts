/** What failed and why: the message of Temporal's client names the call only. */
export const reasonOf = (error: unknown): string => {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  return messages.join(': ');
};
