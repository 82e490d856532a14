import http from 'node:http';

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export interface Post {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds after the request was written at which the connection is torn down, whatever has arrived by then. */
  readonly cutAfterMs?: number | undefined;
}

/** One client with one connection, which it keeps while it holds. */
export interface HttpClient {
  /** @throws Error when the connection ends before the whole answer has come */
  post(request: Post): Promise<Answered>;
  close(): void;
}

export const createHttpClient = (): HttpClient => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return {
    post: ({ port, path, headers, body, cutAfterMs }) =>
      new Promise((resolve, reject) => {
        const request = http.request({ agent, port, path, headers, host: '127.0.0.1', method: 'POST' });
        request.on('error', reject).on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('close', () => {
            if (!response.complete) reject(new Error('the answer is cut off'));
          });
          response.on('end', () => {
            const { statusCode = 0, headers: answered } = response;
            resolve({ status: statusCode, headers: answered, text: Buffer.concat(chunks).toString('utf8') });
          });
        });
        request.end(body, () => {
          if (cutAfterMs === undefined) return;
          setTimeout(() => {
            request.destroy(new Error('cut by the client'));
          }, cutAfterMs);
        });
      }),
    close: () => {
      agent.destroy();
    },
  };
};
