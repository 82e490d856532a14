import { generate } from 'lean-qr/nano';

/**
 * A QR code as the path of an SVG, one square of size 1 for each dark module.
 * @returns the path, and the number of modules on each side
 */
export const qrPath = (text: string): { path: string; size: number } => {
  const code = generate(text);
  const places = Array.from({ length: code.size }, (_, at) => at);
  const squares = places.flatMap((y) => places.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`));
  return { path: squares.join(''), size: code.size };
};
