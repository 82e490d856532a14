import { crc32 } from 'node:zlib';

/** Limits of a logo, in bytes and in pixels. */
const MAX_LOGO_BYTES = 65_536;
const MAX_SIDE = 1_024;

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const NOT_PNG = 'must be a PNG image';

/** Bit depths by colour type. */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const PALETTE = 3;

const critical = ['IHDR', 'PLTE', 'IDAT', 'IEND'];
/** Chunks of animated images: a logo must not move beside a countdown that people read. */
const animated = ['acTL', 'fcTL', 'fdAT'];

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The chunks of an image, each with a valid checksum, or the fault of the image. */
const chunksOf = (image: Buffer): readonly Chunk[] | string => {
  if (!image.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return NOT_PNG;
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < image.length;) {
    if (at + 12 > image.length) return 'must be a whole PNG image: it ends within a chunk';
    const end = at + 12 + image.readUInt32BE(at);
    const type = image.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{2}[A-Z][A-Za-z]$/.test(type)) return `${NOT_PNG}: a chunk has no valid type`;
    if (end > image.length) return 'must be a whole PNG image: it ends within a chunk';
    if (crc32(image.subarray(at + 4, end - 4)) !== image.readUInt32BE(end - 4)) {
      return `${NOT_PNG}: the checksum of the chunk ${type} is wrong`;
    }
    chunks.push({ type, data: image.subarray(at + 8, end - 4) });
    at = end;
  }
  return chunks;
};

const headerProblem = ({ type, data }: Chunk): string | null => {
  if (type !== 'IHDR' || data.length !== 13) return `${NOT_PNG}: it must begin with a header`;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth, color, compression, filter, interlace] = data.subarray(8);
  if (width === 0 || height === 0) return `${NOT_PNG}: it has no pixels`;
  if (width > MAX_SIDE || height > MAX_SIDE) {
    return `must be at most ${MAX_SIDE} pixels wide and high; it has ${width} × ${height}`;
  }
  const isKnown = depths[color!]?.includes(depth!) === true && compression === 0 && filter === 0 && interlace! <= 1;
  return isKnown ? null : `${NOT_PNG}: its header names no form of pixels that PNG has`;
};

/** The fault of the order of the chunks. */
const orderProblem = (chunks: readonly Chunk[]): string | null => {
  const types = chunks.map(({ type }) => type);
  const strange = types.find((type) => animated.includes(type) || (/^[A-Z]/.test(type) && !critical.includes(type)));
  if (strange !== undefined) return `must be a still PNG image: the chunk ${strange} is not allowed`;
  const isOnce = ['IHDR', 'IEND'].every((type) => types.filter((other) => other === type).length === 1);
  if (!isOnce || types.at(-1) !== 'IEND' || chunks.at(-1)!.data.length > 0) {
    return `${NOT_PNG} that ends with its one end chunk`;
  }
  const [first, last] = [types.indexOf('IDAT'), types.lastIndexOf('IDAT')];
  if (first === -1 || types.slice(first, last).some((type) => type !== 'IDAT')) {
    return `${NOT_PNG} with its pixels in one run of chunks`;
  }
  const palettes = types.flatMap((type, at) => (type === 'PLTE' ? [at] : []));
  const needsPalette = chunks[0]!.data[9] === PALETTE;
  if (palettes.length > 1 || palettes.some((at) => at > first) || (needsPalette && palettes.length === 0)) {
    return `${NOT_PNG} with its palette before its pixels`;
  }
  return null;
};

/**
 * The fault of a logo, as a phrase that follows the field's name; null when it has none. Reads the structure of the image down
 * to the checksum of each chunk, so that nothing else can be served under its type, and no pixels.
 */
export const logoProblem = (image: Buffer): string | null => {
  if (image.length > MAX_LOGO_BYTES) return `must have at most ${MAX_LOGO_BYTES} bytes; it has ${image.length}`;
  const chunks = chunksOf(image);
  if (typeof chunks === 'string') return chunks;
  const [header] = chunks;
  return header === undefined ? NOT_PNG : (headerProblem(header) ?? orderProblem(chunks));
};
