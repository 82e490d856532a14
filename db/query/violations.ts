interface DatabaseError {
  code?: unknown;
  constraint?: unknown;
}

const isViolation = (error: unknown, code: string, constraint: string): boolean => {
  const violation = error as DatabaseError;
  return violation.code === code && violation.constraint === constraint;
};

/** True when a statement was refused because a row with the same values exists, by the constraint or index of that name. */
export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  isViolation(error, '23505', constraint);

/** True when a statement was refused by the check, or the trigger that checks, of that name. */
export const isCheckViolation = (error: unknown, constraint: string): boolean =>
  isViolation(error, '23514', constraint);
