// Unpacks the browser of @sparticuz/chromium. The package unpacks below the folder for temporary files, so a process of its own
// with another TMPDIR does it.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

const packed = path.join(path.dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin');
await Promise.all(['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map((file) => inflate(path.join(packed, file))));
