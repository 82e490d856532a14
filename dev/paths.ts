import path from 'node:path';

/** The folder of the repository. */
export const root = path.dirname(import.meta.dirname);

/** Where `npm start` keeps its data, logs and secrets; `CARAT_STATE_DIR` makes it another folder, for a second stack. */
export const stateDir = path.resolve(process.env.CARAT_STATE_DIR || path.join(root, '.carat'));

/** A path for people: inside the repository as it is seen from there, else as it is. */
export const shown = (file: string): string => (file.startsWith(root + path.sep) ? path.relative(root, file) : file);

/** What the running stack tells scripts about itself. */
export const devFile = path.join(stateDir, 'dev.json');
