#!/usr/bin/env node
// The installed `carat`. npm makes a program of plain JavaScript only.
await import('./main.ts');
