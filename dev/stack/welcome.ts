import type { DevFile } from './dev-file.ts';

/** What the starter prints when the stack is ready: where everything is, and a first call to paste. */
export function welcome(dev: DevFile): string {
  const rows: [string, string][] = [
    ['API', `${dev.api}/api/v1`],
    ['Docs', dev.docs],
    ['Temporal UI', dev.temporal.ui || `of the server at ${dev.temporal.address}`],
    ...Object.entries(dev.networks).map(([name, { rpc, eip155 }]): [string, string] => [
      `RPC ${name}`,
      `${rpc} (chain id ${eip155})`,
    ]),
    ['Database', 'in .carat/dev.json, with the ids of nodes, networks and currencies'],
  ];
  const table = rows.map(([what, where]) => `  ${what.padEnd(12)} ${where}`).join('\n');
  return `
Carat is ready.

${table}

A first call, a token of the admin integration:

  curl -s ${dev.api}/api/v1/auth/token \\
    -d grant_type=client_credentials \\
    -d client_id=${dev.admin.api_key} \\
    -d client_secret=${dev.admin.secret}

Six payments from creation to completed: npm run demo (in another terminal). Ctrl-C stops everything.

`;
}
