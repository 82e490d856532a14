import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Milliseconds for wheels of some 100 MB. */
const PATIENCE_MS = 180_000;

/**
 * Downloads the wheels of a requirements file, which names the digests of each, into a folder. pip runs no code of them.
 * @throws Error when Python or pip is missing, a wheel cannot be had for this platform or in three minutes, or it has another digest
 */
export const downloadWheels = async (
  requirements: string,
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> => {
  const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--require-hashes', '--dest', folder];
  const pip = ['-m', 'pip', 'download', ...options, '-r', requirements];
  await run('python3', pip, { env, timeout: PATIENCE_MS }).catch((error: Error & { killed?: boolean }) => {
    throw error.killed ? new Error('pip downloaded nothing in three minutes', { cause: error }) : error;
  });
};
