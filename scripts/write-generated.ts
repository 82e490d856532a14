import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

/**
 * Writes a generated file, formatted as the repository wants it. With `--check` on the command line nothing is written,
 * and a file that would change makes the process fail.
 *
 * @param file from the root of the repository
 * @param text TypeScript or Markdown, by the file's ending
 * @param script that generates it, from the root of the repository
 */
export const writeGenerated = async (file: string, text: string, script: string): Promise<void> => {
  const target = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const formatted = file.endsWith('.ts')
    ? await format(text, { ...(await resolveConfig(target)), parser: 'typescript' })
    : text;
  const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
  if (current === formatted) {
    console.log(`${file} is fresh.`);
  } else if (process.argv.includes('--check')) {
    console.error(`${file} is not what its source says. Run: node ${script}`);
    process.exitCode = 1;
  } else {
    writeFileSync(target, formatted);
    console.log(`Written: ${file}`);
  }
};
