/** Compiler settings of the release. `foundry.toml` says the same, and a forge test compares the resulting code hashes. */
export const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1_000_000 },
  // Without the metadata hash the code depends on the code alone, so anyone can reproduce the hashes of the manifest.
  metadata: { bytecodeHash: 'none' },
  viaIR: false,
} as const;
