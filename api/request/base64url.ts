/**
 * True for the canonical encoding of its bytes (RFC 4648 section 5, without padding). Decoders also accept texts that
 * differ in the unused bits of the last character.
 */
export const isBase64url = (text: string): boolean => Buffer.from(text, 'base64url').toString('base64url') === text;
