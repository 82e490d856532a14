import { pinnedName } from './pinned-name.ts';

/** A file of this build beside the script. Its name ends with the beginning of its digest. */
export interface BuiltFile {
  readonly name: string;
  /** SHA-256 in base64. */
  readonly digest: string;
}

const urlOf = ({ name, digest }: BuiltFile): string => new URL(pinnedName(name, digest), import.meta.url).href;

/**
 * Loads a file, and no other bytes than those of this build.
 * @throws Error when it does not come
 */
export const loadFile = async (file: BuiltFile): Promise<Response> => {
  const response = await fetch(urlOf(file), { integrity: `sha256-${file.digest}`, credentials: 'omit' });
  if (!response.ok) throw new Error(`${file.name}: ${response.status}`);
  return response;
};

/** Loads a script that is wanted later. It comes from the cache in which the checked bytes are. */
export const loadScript = async <T>(file: BuiltFile): Promise<T> => {
  await (await loadFile(file)).arrayBuffer();
  return (await import(urlOf(file))) as T;
};
