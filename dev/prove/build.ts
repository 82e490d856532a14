import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { settings } from '../../scripts/contracts/settings.ts';
import { root } from '../paths.ts';

/** What the compiler was given and what it answered. */
export interface Compilation {
  readonly input: unknown;
  readonly output: Output;
}

interface Output {
  readonly errors?: { severity: string; formattedMessage: string }[];
  readonly sources: Record<string, { id: number; ast: unknown }>;
  readonly contracts: Record<string, Record<string, Contract>>;
}

interface Contract {
  readonly abi: unknown;
  readonly metadata: string;
  readonly evm: { methodIdentifiers: unknown; bytecode?: Code; deployedBytecode?: Code };
}

interface Code {
  readonly object: string;
}

const described = ['abi', 'metadata', 'userdoc', 'devdoc', 'evm.methodIdentifiers'];
const code = ['evm.bytecode', 'evm.deployedBytecode'];

/** All Solidity files below a folder of the tree, as paths within it. */
export const solidityIn = (tree: string, folder: string): string[] =>
  fs
    .readdirSync(path.join(tree, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sol'))
    .map((file) => `${folder}/${file}`);

/**
 * Compiles with the compiler and the settings of the release, in a process of its own.
 *
 * @param tree the folder from which the paths of sources count
 * @param files what is parsed
 * @param coded those of them whose contracts get code
 * @throws Error with the compiler's messages
 */
export const compileFiles = async (tree: string, files: string[], coded: string[]): Promise<Compilation> => {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: fs.readFileSync(path.join(tree, file), 'utf8') }])),
    settings: {
      ...settings,
      outputSelection: {
        '*': { '': ['ast'], '*': described },
        ...Object.fromEntries(coded.map((file) => [file, { '': ['ast'], '*': [...described, ...code] }])),
      },
    },
  };
  const child = spawn(process.execPath, [path.join(root, 'scripts/contracts/solc.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(input));
  const output = JSON.parse(await text(child.stdout)) as Output;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return { input, output };
};

/** Writes one JSON file for each contract, laid out as forge does and halmos reads it. */
export const writeArtifacts = ({ output }: Compilation, folder: string): void => {
  for (const [file, contracts] of Object.entries(output.contracts)) {
    const place = path.join(folder, path.basename(file));
    fs.mkdirSync(place, { recursive: true });
    for (const [name, contract] of Object.entries(contracts)) {
      const artifact = artifactOf(contract, output.sources[file]!);
      fs.writeFileSync(path.join(place, `${name}.json`), JSON.stringify(artifact));
    }
  }
};

const artifactOf = ({ abi, metadata, evm }: Contract, { id, ast }: { id: number; ast: unknown }): object => {
  const codeOf = (part: Code = { object: '' }): object => ({ linkReferences: {}, ...part, object: `0x${part.object}` });
  return {
    abi,
    bytecode: codeOf(evm.bytecode),
    deployedBytecode: codeOf(evm.deployedBytecode),
    methodIdentifiers: evm.methodIdentifiers,
    metadata: JSON.parse(metadata) as unknown,
    ast,
    id,
  };
};
