import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import type { TemporalSettings } from '../../outbox/temporal-client.ts';
import { testTemporal } from './temporal.ts';

/** A Temporal behind an entrance that ends TLS and requires a certificate which it knows, as hosted ones have it. */
export interface TlsTemporal {
  /** What api, worker and commands need to reach it. */
  readonly settings: TemporalSettings;
  /** Folder for more files. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Paths of a certificate and its key. */
interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Makes a key and a certificate for localhost. Without `by` it is an authority, which signs itself. */
export const makePair = (folder: string, name: string, by?: Pair): Pair => {
  const pair = { cert: path.join(folder, `${name}.pem`), key: path.join(folder, `${name}-key.pem`) };
  const signed = by ? ['-CA', by.cert, '-CAkey', by.key, '-addext', 'basicConstraints=critical,CA:FALSE'] : [];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', pair.key];
  const subject = ['-days', '2', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', pair.cert, ...subject, ...signed], { stdio: 'pipe' });
  return pair;
};

/** Starts such an entrance before the tests' own Temporal. */
export const startTlsTemporal = async (): Promise<TlsTemporal> => {
  const { address, namespace } = testTemporal();
  const { port } = new URL(`tcp://${address}`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'carat-temporal-tls-'));
  const authority = makePair(folder, 'authority');
  const own = makePair(folder, 'client', authority);
  const { cert, key } = makePair(folder, 'server', authority);
  const [ca, ...pair] = [authority.cert, cert, key].map((file) => fs.readFileSync(file));
  const sockets = new Set<net.Socket>();
  /** Each of two connected sockets ends with the other. */
  const tie = (socket: net.Socket, other: net.Socket): void => {
    sockets.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    socket.pipe(other);
  };
  // gRPC speaks HTTP/2, which both sides agree on by ALPN (RFC 7301).
  const options = {
    ca,
    cert: pair[0],
    key: pair[1],
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['h2'],
  };
  const entrance = tls.createServer(options, (client) => {
    const server = net.connect(Number(port), '127.0.0.1');
    tie(client, server);
    tie(server, client);
  });
  await new Promise<void>((resolve) => entrance.listen(0, '127.0.0.1', resolve));
  return {
    settings: {
      temporalAddress: `localhost:${(entrance.address() as net.AddressInfo).port}`,
      temporalNamespace: namespace,
      temporalTls: 'off',
      temporalCa: authority.cert,
      temporalCertificate: own.cert,
      temporalKey: own.key,
      temporalServerName: '',
      temporalApiKey: '',
    },
    folder,
    stop: async () => {
      const closed = new Promise((resolve) => entrance.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
};
