const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/**
 * All opcodes that code can reach. The data of PUSH is skipped, because the EVM never jumps into it. Data after the
 * code counts as code, so that nothing can hide there.
 * @param code runtime code as 0x-prefixed hex
 */
export function opcodesOf(code: string): ReadonlySet<number> {
  const bytes = Buffer.from(code.slice(2), 'hex');
  const found = new Set<number>();
  for (let position = 0; position < bytes.length; position += 1) {
    const opcode = bytes[position]!;
    found.add(opcode);
    if (opcode >= PUSH1 && opcode <= PUSH32) position += opcode - PUSH1 + 1;
  }
  return found;
}
