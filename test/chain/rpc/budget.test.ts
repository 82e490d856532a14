import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRpc } from '../../../chain/rpc/rpc.ts';

it('an endpoint that takes no batches is bounded in bytes as a whole, not by each response', async () => {
  let bytes = 0;
  const body = `"0x${'ab'.repeat(25_000_000)}"`;
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const wire = JSON.parse(Buffer.concat(parts).toString()) as { id: number } | unknown[];
      response.setHeader('content-type', 'application/json');
      if (Array.isArray(wire))
        return void response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}');
      bytes += body.length;
      response.end(`{"jsonrpc":"2.0","id":${wire.id},"result":${body}}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const rpc = createRpc({ urls: [url], eip155: null, timeoutMs: 100_000 });
    const requests = Array.from({ length: 6 }, (_, nonce) => ({ method: 'eth_call', params: [{ nonce }, 'latest'] }));
    const said = await rpc.batch(requests).then(
      ({ outcomes }) => outcomes.filter(({ ok }) => ok).length,
      (error: Error) => error.message,
    );
    expect({ said, megabytes: Math.round(bytes / 1e6) }).toMatchObject({ said: 'the response is too large' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
