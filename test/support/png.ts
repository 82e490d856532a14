import { crc32, deflateSync } from 'node:zlib';

/** One chunk of a PNG image, with its checksum. */
export const chunk = (type: string, data: Uint8Array = Buffer.alloc(0)): Buffer => {
  const [head, tail] = [Buffer.alloc(8), Buffer.alloc(4)];
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  tail.writeUInt32BE(crc32(data, crc32(type)));
  return Buffer.concat([head, data, tail]);
};

/** The header of a PNG image. */
export const header = ({ width = 2, height = 2, form = [8, 6, 0, 0, 0] } = {}): Buffer => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width);
  data.writeUInt32BE(height, 4);
  data.set(form, 8);
  return chunk('IHDR', data);
};

/** The bytes with which every PNG image begins. */
export const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG image of so many transparent pixels, with further chunks before its pixels. */
export const png = ({ width = 2, height = 2, more = [] as readonly Buffer[] } = {}): Buffer => {
  const pixels = deflateSync(Buffer.alloc(height * (1 + width * 4)));
  return Buffer.concat([signature, header({ width, height }), ...more, chunk('IDAT', pixels), chunk('IEND')]);
};
