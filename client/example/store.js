import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';

/** A folder of JSON files. A file is whole from its first instant, and nothing replaces it. */
export const openStore = async (folder) => {
  await fs.mkdir(folder, { recursive: true });
  return {
    /** Adds a file; false if it is there already. */
    add: async (id, content) => {
      const draft = `${folder}/${randomUUID()}.draft`;
      await fs.writeFile(draft, JSON.stringify(content), { flush: true });
      const error = await fs.link(draft, `${folder}/${id}.json`).catch((reason) => reason);
      await fs.rm(draft);
      if (error && error.code !== 'EEXIST') throw error;
      return !error;
    },
    /** The content of a file, or null. */
    get: async (id) => {
      if (!/^[\w-]{1,64}$/.test(id)) return null;
      return JSON.parse(await fs.readFile(`${folder}/${id}.json`, 'utf8').catch(() => 'null'));
    },
  };
};
