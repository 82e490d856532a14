import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEndpoint } from '../../../chain/rpc/endpoint.ts';

/*
 * Asks an endpoint that answers at first and is silent then, while the collector of garbage is at work, and prints how that ends.
 * Runs as a separate process, with `--expose-gc`.
 */
let isSilent = false;
const server = http.createServer((request, response) => {
  request.resume();
  if (!isSilent) response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const endpoint = createEndpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
const { signal } = new AbortController();
const ask = (): Promise<string> =>
  endpoint.post([{ method: 'eth_chainId' }], 500, signal).then(
    () => 'an answer',
    ({ message }: Error) => message,
  );
for (let count = 0; count < 50; count += 1) await ask();
isSilent = true;
setInterval(() => globalThis.gc!(), 20);
setTimeout(() => end('never'), 10_000);
const end = (how: string): never => {
  process.stdout.write(how);
  process.exit();
};
end(await ask());
