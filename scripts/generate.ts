/** Runs every generator that reads `openapi.yaml` or the code of the API; with `--check` on the command line nothing is written. */
await import('./generate-api-types.ts');
await import('./generate-error-docs.ts');
await import('./generate-client.ts');
