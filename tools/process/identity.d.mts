/**
 * Identifies a process by its start time, which a later process with the same id does not share. Undefined when the
 * process does not exist; a zombie counts as gone.
 */
export function processIdentity(pid: number): string | undefined;
