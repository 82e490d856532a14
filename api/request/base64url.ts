/**
 * True for the one text that stands for its bytes (RFC 4648 section 5, without padding). Decoders also take others: what is
 * left of the last character's bits is no part of the bytes.
 */
export const isBase64url = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;
