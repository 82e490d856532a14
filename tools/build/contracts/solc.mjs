#!/usr/bin/env node
/**
 * Wraps the npm solc with the interface that forge expects: `--version`, and `--standard-json` over stdin and stdout.
 * Plain JavaScript, because forge executes the file itself.
 */
import { readFileSync } from 'node:fs';
import './remember-table.mjs';
import solc from 'solc';

if (process.argv.includes('--version')) {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`);
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')));
}
