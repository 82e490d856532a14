/** A non-negative integer as one 32-byte ABI word, without 0x. */
export const uintWord = (value: bigint | number): string => value.toString(16).padStart(64, '0');

/** An address as one 32-byte ABI word, without 0x. */
export const addressWord = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0');

/** 32 bytes of hex as one ABI word, without 0x. */
export const bytesWord = (hex: string): string => hex.slice(2);
