#!/usr/bin/env node
/**
 * The npm solc as forge wants a compiler: `--version` and `--standard-json` over stdin and stdout.
 * Plain JavaScript, because forge executes the file itself.
 */
import { readFileSync } from 'node:fs';
import solc from 'solc';

if (process.argv.includes('--version')) {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`);
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')));
}
