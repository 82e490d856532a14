import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { settings } from '../build/contracts/settings.ts';
import { root } from '../paths.ts';

/** Input and output of the compiler. */
export interface Compilation {
  readonly input: unknown;
  readonly output: Output;
}

interface Output {
  readonly errors?: { severity: string; formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, Contract>>;
}

interface Contract {
  readonly abi: unknown;
  readonly evm: { methodIdentifiers: unknown; bytecode?: Code; deployedBytecode?: Code };
}

interface Code {
  readonly object: string;
}

const described = ['abi', 'evm.methodIdentifiers'];
const code = ['evm.bytecode', 'evm.deployedBytecode'];

/** All Solidity files below a folder of the tree, as paths within the tree. */
export const solidityIn = (tree: string, folder: string): string[] =>
  fs
    .readdirSync(path.join(tree, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sol'))
    .map((file) => `${folder}/${file}`);

/**
 * Compiles with the compiler and settings of the release, in a separate process.
 * @param tree base folder of the paths of sources
 * @param files sources to parse
 * @param coded the sources whose contracts get code
 * @param more further compiler outputs for sources and contracts
 * @throws Error with the compiler's messages
 */
export const compileFiles = async (
  tree: string,
  files: string[],
  coded: string[],
  more: { sources: string[]; contracts: string[] } = { sources: [], contracts: [] },
): Promise<Compilation> => {
  const selected = (outputs: string[]): object => ({ '': more.sources, '*': [...outputs, ...more.contracts] });
  const outputSelection = {
    '*': selected(described),
    ...Object.fromEntries(coded.map((file) => [file, selected([...described, ...code])])),
  };
  const contentOf = (file: string): string => fs.readFileSync(path.join(tree, file), 'utf8');
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: contentOf(file) }])),
    settings: { ...settings, outputSelection },
  };
  const child = spawn(process.execPath, [path.join(root, 'tools/build/contracts/solc.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(input));
  const output = JSON.parse(await text(child.stdout)) as Output;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return { input, output };
};

const isMock = (file: string): boolean => /\/mocks\/(?!TestToken|OfferHasher)/.test(file);

/**
 * Compiles everything that halmos needs into a folder. Proofs deploy contracts from these files, so a later build into
 * the same folder replaces earlier contracts.
 * @param changed only contracts of these files, or of files that import one. Default: all contracts and proofs
 */
export const buildProofs = async (tree: string, folder: string, changed?: string[]): Promise<void> => {
  const contracts = solidityIn(tree, 'contracts').filter((file) => !isMock(file));
  if (!changed) {
    const proofs = solidityIn(tree, 'test/proofs');
    writeArtifacts(await compileFiles(tree, [...contracts, ...proofs], [...contracts, ...proofs]), folder);
    return;
  }
  const coded = contracts.filter((file) => changed.some((one) => reaches(tree, file, one)));
  writeArtifacts(await compileFiles(tree, contracts, coded), folder, (file) => coded.includes(file));
};

/** True when a file is the wanted one or imports it, directly or indirectly. */
const reaches = (tree: string, file: string, wanted: string): boolean => {
  if (file === wanted) return true;
  const text = fs.readFileSync(path.join(tree, file), 'utf8');
  const imports = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, from]) => path.join(path.dirname(file), from!));
  return imports.some((next) => reaches(tree, next, wanted));
};

/** Writes one JSON file per contract in forge's layout, reduced to the fields that halmos needs. */
const writeArtifacts = ({ output }: Compilation, folder: string, chosen = (_file: string): boolean => true): void => {
  for (const [file, contracts] of Object.entries(output.contracts)) {
    if (!chosen(file)) continue;
    const place = path.join(folder, path.basename(file));
    fs.mkdirSync(place, { recursive: true });
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      const artifact = {
        abi,
        bytecode: codeOf(evm.bytecode),
        deployedBytecode: codeOf(evm.deployedBytecode),
        methodIdentifiers: evm.methodIdentifiers,
        metadata: { compiler: { version: 'solc' } },
        ast: { absolutePath: file, nodes: [{ nodeType: 'ContractDefinition', name, contractKind: 'contract' }] },
      };
      fs.writeFileSync(path.join(place, `${name}.json`), JSON.stringify(artifact));
    }
  }
};

const codeOf = (part: Code = { object: '' }): object => ({ linkReferences: {}, ...part, object: `0x${part.object}` });
