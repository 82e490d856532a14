/**
 * Names one process for good: the moment it started, which another process that is later given the same id does not
 * share. Undefined when there is no such process (a zombie counts as gone).
 */
export function processIdentity(pid: number): string | undefined;
