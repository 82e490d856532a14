import fs from 'node:fs';
import path from 'node:path';
import { root } from '../paths.ts';
import { composeConfig, filledExample } from '../stack/compose.ts';

/*
 * npm run check:compose
 *
 * Checks docker-compose.yml against the schema that Compose publishes: once without variables, once with .env.example
 * filled in by its own commands.
 */
const example = fs.readFileSync(path.join(root, '.env.example'), 'utf8');
for (const environment of ['', await filledExample(example)]) await composeConfig(environment);
