import { createServer, type AddressInfo } from 'node:net';

/** The metrics of the Temporal SDK, whose native part serves them itself. */
export interface SdkMetrics {
  /** Address for the SDK, on loopback. */
  readonly bindAddress: string;
  /** The metrics as text. @throws Error when the SDK does not serve them in time */
  read(): Promise<string>;
}

const PATIENCE_MS = 1_000;

/** Finds a free port of this machine for the SDK. */
export const createSdkMetrics = async (): Promise<SdkMetrics> => {
  const port = await new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
  const bindAddress = `127.0.0.1:${port}`;
  return {
    bindAddress,
    read: async () => {
      const answer = await fetch(`http://${bindAddress}/metrics`, { signal: AbortSignal.timeout(PATIENCE_MS) });
      if (!answer.ok) throw new Error(`The SDK answered ${answer.status}`);
      return answer.text();
    },
  };
};
