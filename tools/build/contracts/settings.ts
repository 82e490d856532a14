/** Compiler settings of the release. `foundry.toml` has the same ones, and a forge test compares the code hashes. */
export const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1_000_000 },
  // Without the metadata hash, comments and paths do not change the code, so the manifest's hashes can be reproduced.
  metadata: { bytecodeHash: 'none' },
  viaIR: false,
} as const;
