/** Where numbers are whose texts are wanted: by the names of members, `*` for the entries of a list. */
export interface Places {
  readonly [name: string]: Places | 'number';
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isNumber = (byte = 0): boolean => byte === 0x2d || (byte >= 0x30 && byte <= 0x39);

/** Walks over the bytes of a JSON text that was parsed before, so that nothing needs to be judged here. */
const createCursor = (json: Buffer) => {
  let at = 0;
  const skipString = (): void => {
    at += 1;
    while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
    at += 1;
  };
  const skipSpace = (): void => {
    while (isSpace(json[at])) at += 1;
  };
  /** Behind the bracket that closes the one here. Without recursion: a client chooses how deep it is. */
  const skipBrackets = (): void => {
    let depth = 0;
    do {
      const byte = json[at];
      if (byte === OPEN || byte === OPEN_LIST) depth += 1;
      if (byte === CLOSE || byte === CLOSE_LIST) depth -= 1;
      if (byte === QUOTE) skipString();
      else at += 1;
    } while (depth > 0 && at < json.length);
  };
  const isEnd = (byte: number | undefined): boolean =>
    byte === undefined || byte === COMMA || byte === CLOSE || byte === CLOSE_LIST || isSpace(byte);
  const skipValue = (): void => {
    if (json[at] === QUOTE) skipString();
    else if (json[at] === OPEN || json[at] === OPEN_LIST) skipBrackets();
    else while (!isEnd(json[at])) at += 1;
  };
  return {
    byte: () => json[at],
    /** Goes on behind the byte, and the space behind it. */
    step: (): void => {
      at += 1;
      skipSpace();
    },
    /** The text of the value here; goes on behind it and the space that follows. */
    take: (): string => {
      const start = at;
      skipValue();
      const text = json.toString('utf8', start, at);
      skipSpace();
      return text;
    },
  };
};

/**
 * The numbers of a JSON object as they are written, by JSON pointer. `JSON.parse` would make float64 of them, and
 * does not tell what they were made of. Of a member that is there twice the last one counts, as with `JSON.parse`.
 * @param json a text that `JSON.parse` has taken, whose value is an object
 */
export const numberTexts = (json: Buffer, places: Places): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>();
  const cursor = createCursor(json.subarray(Math.max(0, json.indexOf(OPEN))));
  const read = (path: string, place: Places | 'number' | undefined): void => {
    if (place === 'number' && isNumber(cursor.byte())) texts.set(path, cursor.take());
    else if (typeof place !== 'object') cursor.take();
    else if (cursor.byte() === OPEN) readMembers(path, place);
    else if (cursor.byte() === OPEN_LIST) readEntries(path, place['*']);
    else cursor.take();
  };
  const readMembers = (path: string, place: Places): void => {
    cursor.step();
    while (cursor.byte() === QUOTE) {
      const name = JSON.parse(cursor.take()) as string;
      cursor.step();
      read(`${path}/${name}`, name !== '*' && Object.hasOwn(place, name) ? place[name] : undefined);
      if (cursor.byte() === COMMA) cursor.step();
    }
    cursor.step();
  };
  const readEntries = (path: string, place: Places | 'number' | undefined): void => {
    cursor.step();
    for (let index = 0; cursor.byte() !== CLOSE_LIST && cursor.byte() !== undefined; index += 1) {
      read(`${path}/${index}`, place);
      if (cursor.byte() === COMMA) cursor.step();
    }
    cursor.step();
  };
  read('', places);
  return texts;
};
