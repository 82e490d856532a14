/**
 * Takes a lock file, waits while another living process holds it, and returns the function that unlocks it.
 * @param file path of the lock file; its folder is created if missing
 * @param onWait called once with the holder's process id when the lock is taken
 */
export function takeLock(file: string, onWait?: (pid: number) => void): Promise<() => void>;
