import fs from 'node:fs';
import path from 'node:path';
import solc from 'solc';
import { settings } from '../../scripts/contracts/settings.ts';

interface Output {
  readonly errors?: { severity: string; formattedMessage: string }[];
  readonly sources?: Record<string, { id: number; ast: unknown }>;
  readonly contracts?: Record<string, Record<string, Contract>>;
}

interface Contract {
  readonly abi: unknown;
  readonly metadata: string;
  readonly evm: { methodIdentifiers: unknown; bytecode?: Code; deployedBytecode?: Code };
}

interface Code {
  readonly object: string;
}

/**
 * Compiles files of proofs, and what they import, with the compiler and the settings of the release, and writes what
 * halmos reads: one JSON file for each contract, laid out as forge does.
 *
 * @param tree folder that holds `contracts` and `test`
 * @param files paths below `tree`; only their contracts get code, which holds that of every contract they create
 * @param out folder for the result, made anew
 * @throws Error with the compiler's messages
 */
export const build = (tree: string, files: string[], out: string): void => {
  const code = ['evm.bytecode', 'evm.deployedBytecode'];
  const described = ['abi', 'metadata', 'evm.methodIdentifiers'];
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: fs.readFileSync(path.join(tree, file), 'utf8') }])),
    // Halmos names a contract by its code at run time, so all of them are asked for.
    settings: { ...settings, outputSelection: { '*': { '': ['ast'], '*': [...described, ...code] } } },
  };
  const read = (file: string): { contents: string } => ({ contents: fs.readFileSync(path.join(tree, file), 'utf8') });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read })) as Output;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));

  fs.rmSync(out, { recursive: true, force: true });
  for (const [file, contracts] of Object.entries(output.contracts ?? {})) {
    const folder = path.join(out, path.basename(file));
    fs.mkdirSync(folder, { recursive: true });
    for (const [name, contract] of Object.entries(contracts)) {
      fs.writeFileSync(path.join(folder, `${name}.json`), artifactOf(contract, output.sources![file]!));
    }
  }
};

const artifactOf = ({ abi, metadata, evm }: Contract, { id, ast }: { id: number; ast: unknown }): string => {
  const codeOf = (code: Code = { object: '' }): object => ({ linkReferences: {}, ...code, object: `0x${code.object}` });
  return JSON.stringify({
    abi,
    bytecode: codeOf(evm.bytecode),
    deployedBytecode: codeOf(evm.deployedBytecode),
    methodIdentifiers: evm.methodIdentifiers,
    metadata: JSON.parse(metadata) as unknown,
    ast,
    id,
  });
};
