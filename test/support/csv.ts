/**
 * Reads comma-separated values as RFC 4180 has them, each row by the names of the first line.
 * @throws Error where a line has more or fewer cells, or the text ends within one
 */
export const readCsv = (text: string): Record<string, string>[] => {
  const lines: string[][] = [[]];
  const shape = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (shape.lastIndex < text.length) {
    const at = shape.lastIndex;
    const [, quoted, plain = '', end] = shape.exec(text) ?? [];
    if (end === undefined) throw new Error(`no cell: ${text.slice(at, at + 100)}`);
    lines.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') lines.push([]);
  }
  if (lines.pop()!.length > 0) throw new Error('the text ends within a line');
  const [names = [], ...rows] = lines;
  return rows.map((cells) => {
    if (cells.length !== names.length) throw new Error(`${cells.length} cells beside ${names.length} names`);
    return Object.fromEntries(names.map((name, index) => [name, cells[index]!]));
  });
};
