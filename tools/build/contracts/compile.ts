import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import './remember-table.mjs';
import solc from 'solc';
import { settings } from './settings.ts';

/** The compiler's warning about transient storage. Carat's is the lock, which is cleared at the end of each call. */
const transientStorageWarning = '2394';

/** The compiler's output for one contract; code as 0x-prefixed hex. */
export interface CompiledContract {
  abi: AbiItem[];
  bytecode: string;
  runtimeCode: string;
  selectors: Record<string, string>;
  hasImmutables: boolean;
  hasPlainStorage: boolean;
}

/** The part of an ABI entry that the manifest needs. */
export interface AbiItem {
  type: string;
  name?: string;
}

/** All contracts of a folder by name. */
export interface CompiledContracts {
  /** @throws Error for a name that no source defines. */
  get(name: string): CompiledContract;
}

interface SolcContract {
  abi: AbiItem[];
  evm: {
    bytecode: { object: string };
    deployedBytecode: { object: string; immutableReferences?: Record<string, unknown> };
    methodIdentifiers: Record<string, string>;
  };
  storageLayout?: { storage: unknown[] };
}

interface SolcOutput {
  errors?: { severity: string; errorCode?: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, SolcContract>>;
}

/**
 * Compiles every `.sol` below `folder` with {@link settings}.
 * @throws Error with the compiler's own messages; warnings count as errors.
 */
export function compile(folder: string): CompiledContracts {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sol'))
    .sort();
  const sources = Object.fromEntries(
    paths.map((path) => [`contracts/${path}`, { content: readFileSync(join(folder, path), 'utf8') }]),
  );
  const outputSelection = {
    '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode', 'evm.methodIdentifiers', 'storageLayout'] },
  };
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput;
  const problems = (output.errors ?? []).filter(
    ({ severity, errorCode }) => severity !== 'info' && errorCode !== transientStorageWarning,
  );
  if (problems.length > 0) throw new Error(problems.map(({ formattedMessage }) => formattedMessage).join('\n'));

  const byName = new Map<string, CompiledContract>();
  for (const contracts of Object.values(output.contracts ?? {})) {
    for (const [name, contract] of Object.entries(contracts)) byName.set(name, describe(contract));
  }
  return {
    get(name) {
      const contract = byName.get(name);
      if (!contract) throw new Error(`No contract ${name} in ${folder}`);
      return contract;
    },
  };
}

function describe({ abi, evm, storageLayout }: SolcContract): CompiledContract {
  return {
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    runtimeCode: `0x${evm.deployedBytecode.object}`,
    selectors: evm.methodIdentifiers,
    hasImmutables: Object.keys(evm.deployedBytecode.immutableReferences ?? {}).length > 0,
    hasPlainStorage: (storageLayout?.storage.length ?? 0) > 0,
  };
}
