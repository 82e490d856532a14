interface DatabaseError {
  code?: unknown;
  constraint?: unknown;
}

const isViolation = (error: unknown, code: string, constraint: string): boolean => {
  const violation = error as DatabaseError;
  return violation.code === code && violation.constraint === constraint;
};

/** True for a violation of the unique constraint or index of this name. */
export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  isViolation(error, '23505', constraint);

/** True for a violation of the check, or checking trigger, of this name. */
export const isCheckViolation = (error: unknown, constraint: string): boolean =>
  isViolation(error, '23514', constraint);
