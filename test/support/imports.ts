import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/paths.ts';

/** Nothing imports these folders, which start, check and measure all others; they may import everything. */
export const freeFolders: readonly string[] = ['contracts', 'docs', 'install', 'test', 'tools'];

/** One import of a source. */
export interface Import {
  /** A path within the repository, or the name of a package or of a part of Node. */
  readonly target: string;
  readonly typeOnly: boolean;
}

/** The TypeScript files of a folder of the repository and of those below it, as paths within the repository. */
export const sourcesIn = (folder: string): string[] =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file));

/** The imports in the text of a file. */
export const importsOf = (file: string, text: string): Import[] =>
  [...text.matchAll(/^(?:import|export)\b([^;'"]*?\bfrom\s*)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm)].map(
    ([, clause = '', from, loaded]) => {
      const specifier = (from ?? loaded)!;
      return {
        target: specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier,
        typeOnly: /^\s*type\b/.test(clause),
      };
    },
  );

/**
 * Circles of a graph, each as the names that can all reach each other, sorted.
 * @param edges from each name to those that it leads to
 */
export const circlesOf = (edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] => {
  const reachable = new Map<string, Set<string>>();
  for (const name of edges.keys()) {
    const seen = new Set<string>();
    const open = [...(edges.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(edges.get(next) ?? []));
    }
    reachable.set(name, seen);
  }
  const circles = new Map<string, string[]>();
  for (const [name, seen] of reachable) {
    if (!seen.has(name)) continue;
    const circle = [...seen].filter((other) => reachable.get(other)?.has(name)).toSorted();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
};
