/** Per-user folder for what is built or downloaded once; `CARAT_CACHE` or `XDG_CACHE_HOME` move it. */
export declare const cacheDir: (env?: NodeJS.ProcessEnv) => string;

/** Puts a folder or file of that name into the cache folder of this user, once, and answers its path. */
export declare const cached: (
  name: string,
  report: (line: string) => void,
  make: (target: string) => Promise<void>,
) => Promise<string>;
