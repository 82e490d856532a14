interface DatabaseError {
  code?: unknown;
  constraint?: unknown;
}

/** True when a statement was refused because a row with the same values exists, by the constraint or index of that name. */
export const isUniqueViolation = (error: unknown, constraint: string): boolean => {
  const { code, constraint: violated } = error as DatabaseError;
  return code === '23505' && violated === constraint;
};
