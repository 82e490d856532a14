/** One secret in every form in which it could lie about. */
export interface Secret {
  readonly name: string;
  readonly text: string;
  /** What the text stands for, where it is an encoding of bytes itself. */
  readonly bytes?: Uint8Array;
}

/**
 * The part of a base64 text that does not change with what stands around the bytes, for the three ways in which bytes
 * can fall into groups of three.
 */
const base64Cores = (bytes: Uint8Array): string[] =>
  [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const head = [0, 2, 3][shift]!;
    const tail = (shift + bytes.length) % 3 === 0 ? 0 : 1;
    return text.slice(head, text.length - tail);
  });

const formsOfBytes = (bytes: Uint8Array): string[] => {
  const base64 = base64Cores(bytes);
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = Buffer.from(bytes).toString('hex');
  return [...base64, ...base64url, hex, hex.toUpperCase(), Buffer.from(bytes).toString('latin1')];
};

/** In clear, in JSON, in a URL, in base64 and base64url wherever it begins, in hex. */
export const formsOf = ({ text, bytes }: Secret): string[] => {
  const clear = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  const spelled = clear.map((form) => Buffer.from(form).toString('latin1'));
  const encoded = clear.flatMap((form) => formsOfBytes(Buffer.from(form)));
  return [...new Set([...clear, ...spelled, ...encoded, ...(bytes === undefined ? [] : formsOfBytes(bytes))])];
};

/** A place to look through, as text; bytes as latin1. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Which secrets are where: `secret in place`. */
export const findSecrets = (secrets: readonly Secret[], places: readonly Place[]): string[] => {
  const wanted = secrets.map((secret) => ({ name: secret.name, forms: formsOf(secret) }));
  return places.flatMap((place) =>
    wanted
      .filter(({ forms }) => forms.some((form) => place.text.includes(form)))
      .map(({ name }) => `${name} in ${place.name}`),
  );
};
