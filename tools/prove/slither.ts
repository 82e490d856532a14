import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../paths.ts';
import { compileFiles, solidityIn } from './build.ts';

/** One unexplained finding of slither. */
export interface Finding {
  readonly check: string;
  readonly description: string;
}

interface Report {
  readonly success: boolean;
  readonly error: string | null;
  readonly results: { detectors?: Finding[] };
}

interface Explanation {
  readonly check: string;
  /** Beginnings of the texts of findings, which name the places. */
  readonly at: string[];
}

/**
 * Runs slither on the contracts of the release.
 *
 * @returns the findings that test/proofs/slither.json does not explain, and the explanations that no finding needs
 * @throws Error when slither itself fails
 */
export const analyse = async (bin: string): Promise<{ findings: Finding[]; explained: number; unused: string[] }> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-slither-'));
  try {
    const files = solidityIn(root, 'contracts').filter((file) => !file.includes('/mocks/'));
    const compilation = await compileFiles(root, files, files, { sources: ['ast'], contracts: ['userdoc', 'devdoc'] });
    // The layout of build information of forge and Hardhat.
    fs.writeFileSync(path.join(folder, 'release.json'), JSON.stringify({ solcVersion: '0.8.37', ...compilation }));
    const output = path.join(folder, 'report.json');
    const args = ['.', '--compile-force-framework', 'foundry', '--ignore-compile', '--json', output];
    const log = await run(path.join(bin, 'slither'), [...args, '--foundry-build-info-directory', folder]);
    if (!fs.existsSync(output)) throw new Error(`slither wrote no report: ${log.slice(-2000)}`);
    const report = JSON.parse(fs.readFileSync(output, 'utf8')) as Report;
    if (!report.success) throw new Error(`slither failed: ${report.error}`);
    return triage(report.results.detectors ?? []);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

const triage = (all: Finding[]): { findings: Finding[]; explained: number; unused: string[] } => {
  const file = path.join(root, 'test/proofs/slither.json');
  const explanations = JSON.parse(fs.readFileSync(file, 'utf8')) as Explanation[];
  const places = explanations.flatMap(({ check, at }) => at.map((start) => ({ check, start })));
  const fits = (finding: Finding, { check, start }: (typeof places)[number]): boolean =>
    finding.check === check && finding.description.startsWith(start);
  const findings = all.filter((finding) => !places.some((place) => fits(finding, place)));
  const unused = places.filter((place) => !all.some((finding) => fits(finding, place)));
  return {
    findings,
    explained: all.length - findings.length,
    unused: unused.map(({ check, start }) => `${check}: ${start}`),
  };
};

/** Slither exits with an error when it has findings, so only its report counts. */
const run = (command: string, args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd: root, maxBuffer: 2 ** 28 }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
