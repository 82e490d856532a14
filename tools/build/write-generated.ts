import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

/**
 * Writes a generated file with the repository's formatting. With `--check` nothing is written, and a stale file makes
 * the process fail.
 * @param file path from the repository's root
 * @param text TypeScript, YAML or Markdown, by the file's extension
 * @param script path of the generator, from the repository's root
 */
export const writeGenerated = async (file: string, text: string, script: string): Promise<void> => {
  const target = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const parser = ({ '.ts': 'typescript', '.yml': 'yaml' } as const)[path.extname(file)];
  const formatted = parser === undefined ? text : await format(text, { ...(await resolveConfig(target)), parser });
  const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
  if (current === formatted) {
    console.log(`${file} is up to date.`);
  } else if (process.argv.includes('--check')) {
    console.error(`${file} is stale. Run: node ${script}`);
    process.exitCode = 1;
  } else {
    writeFileSync(target, formatted);
    console.log(`Written: ${file}`);
  }
};
