/**
 * Runs every generator that reads `openapi.yaml`, the API's code or the measured gas; with `--check` nothing is
 * written.
 */
await import('./generate-api-types.ts');
await import('./generate-error-docs.ts');
await import('./generate-payment-docs.ts');
await import('./generate-alert-docs.ts');
await import('./generate-client.ts');
await import('./generate-gas-docs.ts');
