/** Per-user folder of builds and downloads; `CARAT_CACHE` or `XDG_CACHE_HOME` move it. */
export declare const cacheDir: (env?: NodeJS.ProcessEnv) => string;

/** Makes a file or folder of that name in the user's cache once, and returns its path. */
export declare const cached: (
  name: string,
  report: (line: string) => void,
  make: (target: string) => Promise<void>,
) => Promise<string>;
