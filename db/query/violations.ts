interface DatabaseError {
  code?: unknown;
  constraint?: unknown;
}

const isViolation = (error: unknown, code: string, constraint: string): boolean => {
  const violation = error as DatabaseError;
  return violation.code === code && violation.constraint === constraint;
};

/** True when a row with the same values exists, by the unique constraint or index of that name. */
export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  isViolation(error, '23505', constraint);

/** True when the check, or the checking trigger, of that name rejected the statement. */
export const isCheckViolation = (error: unknown, constraint: string): boolean =>
  isViolation(error, '23514', constraint);
