import type { CompiledContract } from '../../tools/build/contracts/compile.ts';
import { opcodesOf, assertFacet } from '../../tools/build/contracts/release-manifest.ts';

const facet = (runtimeCode: string, more: Partial<CompiledContract> = {}): CompiledContract => ({
  abi: [],
  bytecode: '0x',
  runtimeCode,
  selectors: {},
  hasImmutables: false,
  hasPlainStorage: false,
  ...more,
});

describe('the opcodes of code', () => {
  it('are the reachable ones, not the data of a push', () => {
    expect([...opcodesOf('0x60f45000')]).toEqual([0x60, 0x50, 0x00]);
    expect([...opcodesOf(`0x7f${'ff'.repeat(32)}f4`)]).toEqual([0x7f, 0xf4]);
    expect([...opcodesOf('0x5ff2')]).toEqual([0x5f, 0xf2]);
    // A push whose data is cut off by the end of the code.
    expect([...opcodesOf('0x61f4')]).toEqual([0x61]);
  });
});

describe('the build of a release', () => {
  it.each([
    ['DELEGATECALL', '0xf4'],
    ['CALLCODE', '0x00f2'],
    ['SELFDESTRUCT', '0x5f5fff'],
    // Behind the end of the code, where a jump could still lead.
    ['DELEGATECALL', '0x00fe5bf4'],
  ])('refuses a facet with %s', (mnemonic, code) => {
    expect(() => assertFacet('Some', facet(code))).toThrow(`Facet Some has ${mnemonic}`);
  });

  it('refuses a facet with a constructor, immutables or plain state variables, and names them all', () => {
    const contract = facet('0x00', { abi: [{ type: 'constructor' }], hasImmutables: true, hasPlainStorage: true });
    expect(() => assertFacet('Some', contract)).toThrow('a constructor, immutables, plain state variables');
  });
});
