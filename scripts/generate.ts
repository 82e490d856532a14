/**
 * Runs every generator that reads `openapi.yaml`, the code of the API or the gas that was measured; with `--check` on the
 * command line nothing is written.
 */
await import('./generate-api-types.ts');
await import('./generate-error-docs.ts');
await import('./generate-payment-docs.ts');
await import('./generate-client.ts');
await import('./generate-gas-docs.ts');
