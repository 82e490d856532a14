const HIDDEN = '[hidden]';
/** Shorter secrets occur in any text by chance. */
const SHORTEST = 4;

/** A text whose escapes are resolved. */
interface Resolved {
  readonly text: string;
  /** By character: where it begins and ends in the original. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** A secret as it is, and as it reads where escapes are resolved. */
export interface SecretForms {
  readonly plain: string;
  readonly resolved: string;
}

/** Escapes of JSON and JavaScript, of HTML, and of URLs, in which a space may be a `+`. */
const escapes =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(["'\\/bfnrt])|&#x([0-9a-f]{1,6});|&#([0-9]{1,7});|&(amp|lt|gt|quot|apos);|((?:%[0-9a-f]{2})+)|\+/gi;
/** The beginning of an escape at the end of a text that was cut off. */
const cutEscape = /(?:\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&(?:#x?[0-9a-f]{0,7}|[a-z]{0,4})|%[0-9a-f]?|\uFFFD{1,4})$/i;
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Servers escape a text for JSON, and that for a page, and so on. */
const MAX_LAYERS = 4;

const ofCode = (digits: string, base: number): string => {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
};

const meaningOf = (match: RegExpExecArray): string => {
  const [, unicode, latin, escaped, hex, decimal, entity, bytes] = match;
  if (unicode !== undefined || latin !== undefined)
    return String.fromCharCode(Number.parseInt((unicode ?? latin)!, 16));
  if (escaped !== undefined) return controls[escaped] ?? escaped;
  if (hex !== undefined) return ofCode(hex, 16);
  if (decimal !== undefined) return ofCode(decimal, 10);
  if (entity !== undefined) return entities[entity.toLowerCase()]!;
  return bytes === undefined ? ' ' : Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8');
};

/** Resolves one layer of escapes. */
const resolveLayer = ({ text, from, to }: Resolved): Resolved => {
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (part: string, start: number, end: number): void => {
    parts.push(part);
    for (let at = 0; at < part.length; at += 1) {
      starts.push(start);
      ends.push(end);
    }
  };
  let next = 0;
  for (const match of text.matchAll(escapes)) {
    for (; next < match.index; next += 1) add(text[next]!, from[next]!, to[next]!);
    next += match[0].length;
    add(meaningOf(match), from[match.index]!, to[next - 1]!);
  }
  for (; next < text.length; next += 1) add(text[next]!, from[next]!, to[next]!);
  return { text: parts.join(''), from: starts, to: ends };
};

/** Resolves all layers of escapes. */
const resolve = (text: string): Resolved => {
  let resolved: Resolved = {
    text,
    from: Array.from({ length: text.length }, (_, at) => at),
    to: Array.from({ length: text.length }, (_, at) => at + 1),
  };
  for (let layer = 0; layer < MAX_LAYERS && resolved.text.search(escapes) !== -1; layer += 1)
    resolved = resolveLayer(resolved);
  return resolved;
};

/** The forms in which `hide` seeks secrets. */
export const formsOf = (secrets: readonly string[]): SecretForms[] =>
  [...new Set(secrets)]
    .filter(({ length }) => length >= SHORTEST)
    .map((plain) => ({ plain, resolved: resolve(plain).text }));

/**
 * Length of the longest beginning of a secret, without its last character, that ends a text. Takes linear time (Knuth, Morris
 * and Pratt), because merchants choose both.
 */
const overlapOf = (text: string, secret: string): number => {
  const most = Math.min(secret.length - 1, text.length);
  const joined = secret.slice(0, most) + text.slice(text.length - most);
  /** By position: length of the longest beginning of `joined` that ends there. */
  const borders = new Uint32Array(joined.length);
  let border = 0;
  for (let at = 1; at < joined.length; at += 1) {
    while (border > 0 && joined[at] !== joined[border]) border = borders[border - 1]!;
    if (joined[at] === joined[border]) border += 1;
    borders[at] = border;
  }
  while (border > most) border = borders[border - 1]!;
  return border;
};

/** Where a secret stands in a text, and where its beginning ends a text that was cut off. */
const placesOf = (text: string, secret: string): [number, number][] => {
  const places: [number, number][] = [];
  if (secret.length < SHORTEST) return places;
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
    places.push([at, at + secret.length]);
  const whole = text.replace(cutEscape, '');
  for (const cut of new Set([text, whole])) {
    const overlap = overlapOf(cut, secret);
    if (overlap >= SHORTEST) places.push([cut.length - overlap, text.length]);
  }
  return places;
};

/**
 * Replaces secrets in a text by `[hidden]`, whichever common escapes it uses. Some receivers echo the request's headers, and not every
 * reader of their responses may know the credentials.
 */
export const hide = (text: string, forms: readonly SecretForms[]): string => {
  if (text === '' || forms.length === 0) return text;
  const resolved = resolve(text);
  const places = forms.flatMap((form) => [
    ...placesOf(text, form.plain),
    ...placesOf(resolved.text, form.resolved).map(([start, end]): [number, number] => [
      resolved.from[start]!,
      resolved.to[end - 1]!,
    ]),
  ]);
  let hidden = '';
  let end = 0;
  for (const [start, stop] of places.sort(([a, b], [c, d]) => a - c || d - b)) {
    if (stop <= end) continue;
    // A place that overlaps with the one before lengthens it.
    if (start >= end) hidden += text.slice(end, start) + HIDDEN;
    end = stop;
  }
  return hidden + text.slice(end);
};
