import { X509Certificate } from 'node:crypto';
import dns from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';
import type { Knex } from 'knex';
import { sharedObserverOf } from '../../db/alerts/alerts.ts';
import type { ConditionAlert } from '../../domain/ports/alert.ts';
import type { Log } from '../../domain/ports/log.ts';
import { createEpisode, type Episode } from '../../domain/tools/episode.ts';
import { logOutcomes, startLoop } from '../../domain/tools/repeat.ts';
import { temporalAt, type TemporalSettings } from '../../outbox/temporal-client.ts';
import { measure } from '../../runtime/measures.ts';

/** The validity of a certificate, in milliseconds since the epoch. */
interface Validity {
  readonly from: number;
  readonly until: number;
}

interface CertificateReading extends Validity {
  /** The addresses behind the name that showed none, with the reasons; absent or empty when all have shown one. */
  readonly unread?: string;
}

/** A server, and the client's certificate that it may ask for. */
interface TlsServer extends Pick<tls.ConnectionOptions, 'cert' | 'key'> {
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

/** Milliseconds for all of it: a server that drips its handshake gets no more. */
const PATIENCE_MS = 5_000;
/** Most addresses of a name that are asked. */
const ADDRESSES = 8;
/** Codes of a machine that has no way to an address, such as one of IPv6. That is no fault of the server. */
const noWay = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);

const validityOf = ({ validFrom, validTo }: X509Certificate): Validity => ({
  from: Date.parse(validFrom),
  until: Date.parse(validTo),
});

/** Reads the certificate at one address. Nothing is sent or believed, so that a certificate that has ended is shown, too. */
const shownAt = (address: string, { port, name, cert, key }: TlsServer, signal: AbortSignal): Promise<Validity> =>
  new Promise((resolve, reject) => {
    const servername = net.isIP(name) === 0 ? { servername: name } : {};
    const socket = tls.connect({ host: address, port, ...servername, cert, key, rejectUnauthorized: false });
    const abort = (): void => void socket.destroy(new Error('no answer in time'));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', abort));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const shown = socket.getPeerX509Certificate();
      socket.destroy();
      if (shown === undefined) reject(new Error('no certificate'));
      else resolve(validityOf(shown));
    });
    if (signal.aborted) abort();
  });

/** Finds the addresses of a name. */
type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>;

const addressesOf = async (host: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> => {
  if (net.isIP(host) !== 0) return [host];
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no address in time')), { once: true });
  });
  const found = await Promise.race([resolve(host), late]);
  return found.slice(0, ADDRESSES).map(({ address }) => address);
};

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? (error as Error).message;

/**
 * Reads the certificates at all addresses of a server.
 * @returns the one that ends first: clients meet any of them
 * @throws Error when no address shows one
 */
export const shownBy = async (
  server: TlsServer,
  stop?: AbortSignal,
  resolve: Resolve = (host) => dns.lookup(host, { all: true }),
): Promise<CertificateReading> => {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = stop === undefined ? patience : AbortSignal.any([patience, stop]);
  const addresses = await addressesOf(server.host, resolve, signal);
  const readings = await Promise.allSettled(addresses.map((address) => shownAt(address, server, signal)));
  const shown = readings.flatMap((reading) => (reading.status === 'fulfilled' ? [reading.value] : []));
  const [first] = shown.toSorted((a, b) => a.until - b.until);
  const failed = readings.flatMap((reading, index) =>
    reading.status === 'rejected' ? [{ address: addresses[index]!, code: codeOf(reading.reason) }] : [],
  );
  if (first === undefined) throw new Error([...new Set(failed.map(({ code }) => code))].join(', '));
  const unread = failed.filter(({ code }) => !noWay.has(code)).map(({ address, code }) => `${address}: ${code}`);
  return { ...first, unread: unread.join(', ') };
};

/** A certificate that Carat or its clients depend on. */
export interface CertificateSource {
  /** Its name in metrics, and in the keys of alerts. */
  readonly of: 'public_url' | 'alert_webhook' | 'temporal_server' | 'temporal_client';
  /** Its name for people. */
  readonly name: string;
  /** @throws Error when it cannot be read, as while its server is down */
  read(stop?: AbortSignal): Promise<CertificateReading>;
}

/** The configuration that names certificates. */
interface CertificateSettings extends TemporalSettings {
  readonly publicUrl: string;
  readonly alertWebhook: string;
}

const DAY_MS = 86_400_000;
/** Milliseconds before the end at which the alert is raised, and the share of the validity for short-lived certificates. */
const SOON_MS = 7 * DAY_MS;
const SOON_SHARE = 4;
const HTTPS_PORT = 443;

/** Milliseconds between two readings. */
const certificateMs = { production: 30_000, test: 1_000 } as const;

const hostOf = (url: string): TlsServer => {
  const { hostname, port } = new URL(url);
  // An address of IPv6 has brackets in a URL only.
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  return { host, port: Number(port) || HTTPS_PORT, name: host };
};

const ofUrl = (of: CertificateSource['of'], name: string, url: string): CertificateSource[] =>
  url.startsWith('https:')
    ? [{ of, name: `${name} (${new URL(url).host})`, read: (stop) => shownBy(hostOf(url), stop) }]
    : [];

/** The certificates of the way to Temporal. */
export const temporalCertificates = (settings: TemporalSettings): CertificateSource[] => {
  const { address, tls: own } = temporalAt(settings);
  if (own === undefined) return [];
  const shown = hostOf(`tcp://${address}`);
  const { crt: cert, key } = own.clientCertPair ?? {};
  const server = {
    ...shown,
    name: own.serverNameOverride ?? shown.name,
    cert: cert as Buffer,
    key: key as Buffer,
  };
  return [
    { of: 'temporal_server', name: `Temporal (${address})`, read: (stop) => shownBy(server, stop) },
    ...(cert === undefined
      ? []
      : [
          {
            of: 'temporal_client' as const,
            name: 'CARAT_TEMPORAL_CERTIFICATE',
            read: () => Promise.resolve(validityOf(new X509Certificate(cert))),
          },
        ]),
  ];
};

/** All certificates that the configuration names. */
export const certificateSources = (settings: CertificateSettings): CertificateSource[] => [
  ...ofUrl('public_url', 'CARAT_PUBLIC_URL', settings.publicUrl),
  ...ofUrl('alert_webhook', 'CARAT_ALERT_WEBHOOK', settings.alertWebhook),
  ...temporalCertificates(settings),
];

/** How long a certificate is still good for: `ended`, `soon` within seven days or the last quarter of its time, else `good`. */
export const gradeOf = ({ from, until }: Validity, now: number): 'ended' | 'soon' | 'good' => {
  if (now >= until) return 'ended';
  return until - now < Math.min(SOON_MS, (until - from) / SOON_SHARE) ? 'soon' : 'good';
};

const alertOf = (source: CertificateSource, { until }: Validity, grade: 'ended' | 'soon'): ConditionAlert => {
  const at = new Date(until).toISOString();
  return {
    kind: 'certificate_ends',
    subject: source.of,
    // The end is told again.
    cause: grade,
    message: `The certificate of ${source.name} ${grade === 'ended' ? 'has ended' : 'ends'} at ${at}`,
    data: { certificate: source.of, valid_until: at },
  };
};

interface CertificateDeps {
  readonly knex: Knex;
  readonly sources: readonly CertificateSource[];
  readonly profile: keyof typeof certificateMs;
  readonly log: Log;
}

/** Readings of which the worst counts: behind one address may be several servers, which a client meets in turn. */
const REMEMBERED = 3;

/** The last readings of a certificate, and the looks in a row that brought none. */
interface Remembered {
  readonly read: Validity[];
  missed: number;
}

/** Reads certificates periodically, and raises and closes the alerts about their ends. Logs and measures those that it cannot read. */
export const keepCertificates = ({ knex, sources, profile, log }: CertificateDeps): { stop(): Promise<void> } => {
  const remembered = new Map(sources.map(({ of }) => [of, { read: [], missed: 0, unread: createEpisode() }]));

  const observed = sharedObserverOf(knex, log);

  /** Remembers a reading, and logs one line when a part of it begins to be missing, and one when it is there again. */
  const remember = async (
    source: CertificateSource,
    signal: AbortSignal,
  ): Promise<Remembered & { readonly isWhole: boolean }> => {
    const own: Remembered & { readonly unread: Episode } = remembered.get(source.of)!;
    const { reading, why } = await source.read(signal).then(
      (read) => ({ reading: read, why: read.unread ?? '' }),
      (error: unknown) => ({ reading: null, why: (error as Error).message }),
    );
    const fields = { certificate: source.name };
    if (why === '') own.unread.ends(() => log.info('A certificate can be read again', fields));
    else if (!signal.aborted)
      own.unread.begins(() => log.warn('A certificate cannot be read', { ...fields, reason: why }));
    own.missed = reading === null ? own.missed + 1 : 0;
    if (reading !== null) own.read.unshift(reading);
    // A reading from before a long outage says nothing about the certificate after it.
    own.read.splice(own.missed < REMEMBERED ? REMEMBERED : 0);
    return { ...own, isWhole: why === '' };
  };

  const look = async (source: CertificateSource, signal: AbortSignal): Promise<void> => {
    const { of } = source;
    const { read, missed, isWhole } = await remember(source, signal);
    if (signal.aborted) return;
    const [worst] = read.toSorted((a, b) => a.until - b.until);
    const secondsLeft = worst === undefined ? null : (worst.until - Date.now()) / 1_000;
    measure('certificate', { of, secondsLeft, isWhole });
    if (worst === undefined || missed > 0) return;
    const grade = gradeOf(worst, Date.now());
    const looked = { kind: 'certificate_ends', subject: of } as const;
    if (grade !== 'good') await observed(looked, [alertOf(source, worst, grade)]);
    else if (read.length === REMEMBERED) await observed(looked, []);
  };

  const lookAtAll = async (signal: AbortSignal): Promise<void> => {
    await observed({ kind: 'certificate_ends', but: sources.map(({ of }) => of) }, []);
    await Promise.all(sources.map((source) => look(source, signal)));
  };

  const words = { works: 'Certificates are checked again', fails: 'Certificates could not be checked' };
  return startLoop(lookAtAll, { everyMs: certificateMs[profile], ...logOutcomes(log, words) });
};
