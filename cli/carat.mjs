#!/usr/bin/env node
// The installed `carat`. npm links plain JavaScript files only.
await import('./main.ts');
