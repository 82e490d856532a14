/**
 * Takes a lock file, waiting while another living process holds it, and answers the function that gives it back.
 *
 * @param file path of the lock file; its folder is made when missing
 * @param onWait called once when another process holds the lock, with its process id
 */
export function takeLock(file: string, onWait?: (pid: number) => void): Promise<() => void>;
