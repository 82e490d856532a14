import path from 'node:path';

/** The folder of the repository. */
export const root = path.dirname(import.meta.dirname);

/** Folder of the data, logs and secrets of `npm start`; `CARAT_STATE_DIR` moves it, for a second stack. */
export const stateDir = path.resolve(process.env.CARAT_STATE_DIR || path.join(root, '.carat'));

/** A path for display: relative to the repository if inside it, else unchanged. */
export const shown = (file: string): string => (file.startsWith(root + path.sep) ? path.relative(root, file) : file);

/** File that describes the running stack to scripts. */
export const devFile = path.join(stateDir, 'dev.json');
