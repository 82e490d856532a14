#!/usr/bin/env node
// The installed `carat`: Node can not read TypeScript by itself, so its loader comes first.
import { register } from 'tsx/esm/api';

register();
await import('./main.ts');
