import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from '../paths.ts';
import { binaryPath } from '../stack/chain.ts';

const bin = (name: string): string => path.join(root, 'node_modules', '.bin', name);

/** The compiler of this project. The package `typescript` is an older version for tools built on its API. */
const typescript = path.join(root, 'node_modules/typescript-7/bin/tsc');

interface Step {
  readonly command: string;
  readonly args: string[];
}

/** All steps of `npm run check`, in order of duration. */
const steps: Record<string, Step> = {
  types: { command: typescript, args: ['--project', 'tsconfig.json'] },
  'types-widget': { command: typescript, args: ['--project', 'widget/tsconfig.json'] },
  'types-widget-tests': { command: typescript, args: ['--project', 'test/widget/tsconfig.json'] },
  lint: { command: bin('oxlint'), args: ['--type-aware', '--deny-warnings'] },
  format: { command: bin('prettier'), args: ['--check', '--log-level', 'warn', '.'] },
  solidity: { command: binaryPath('forge'), args: ['fmt', '--check', 'contracts', 'test/contracts', 'test/proofs'] },
  spec: { command: bin('redocly'), args: ['lint', 'openapi.yaml'] },
  compose: { command: process.execPath, args: ['tools/check/compose.ts'] },
  generated: { command: process.execPath, args: ['tools/build/build-contracts.ts', '--check'] },
  'generated-widget': { command: process.execPath, args: ['tools/build/build-widget.ts', '--check'] },
  'generated-api': { command: process.execPath, args: ['tools/build/generate.ts', '--check'] },
};

/** Runs one step with its output on this terminal; resolves to true when it passes. */
const run = (step: Step): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const child = spawn(step.command, step.args, { cwd: root, stdio: 'inherit', env });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code === 0));
  });

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`check: unknown step: ${unknown.join(', ')}; steps: ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}

const failed: string[] = [];
for (const [name, step] of Object.entries(steps)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const started = Date.now();
  const passed = await run(step);
  if (!passed) failed.push(name);
  console.log(`check ${name}: ${passed ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}
if (failed.length > 0) {
  console.error(`check: failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
