import { X509Certificate } from 'node:crypto';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import type { Knex } from 'knex';
import { closeAlerts, raiseAlerts } from '../../db/alerts/alerts.ts';
import type { Alert } from '../../domain/ports/alert.ts';
import type { Log } from '../../domain/ports/log.ts';
import { logAlerts, logOver } from '../../domain/tools/alert-log.ts';
import { createSpell } from '../../domain/tools/spell.ts';
import { measure } from '../../measures.ts';
import { temporalAt, type TemporalSettings } from '../../outbox/temporal-client.ts';

/** The validity of a certificate, in milliseconds since the epoch. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

/** A certificate that Carat or its clients depend on. */
export interface CertificateSource {
  /** Its name in metrics, and in the keys of alerts. */
  readonly of: 'public_url' | 'alert_webhook' | 'temporal_server' | 'temporal_client';
  /** Its name for people. */
  readonly name: string;
  /** @throws Error when it cannot be read, as while its server is down */
  read(): Promise<Validity>;
}

/** The configuration that names certificates. */
export interface CertificateSettings extends TemporalSettings {
  readonly publicUrl: string;
  readonly alertWebhook: string;
}

/** Milliseconds for a connection and its handshake. */
const PATIENCE_MS = 5_000;
const DAY_MS = 86_400_000;
/** Milliseconds before the end at which an operator is told, and the share of the validity for short-lived certificates. */
const SOON_MS = 7 * DAY_MS;
const SOON_SHARE = 4;
const HTTPS_PORT = 443;

/** Milliseconds between two readings. */
export const certificateMs = { production: 30_000, test: 1_000 } as const;

const validityOf = ({ validFrom, validTo }: X509Certificate): Validity => ({
  from: Date.parse(validFrom),
  until: Date.parse(validTo),
});

interface Server extends Pick<tls.ConnectionOptions, 'cert' | 'key'> {
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

/** Reads the certificate that a server shows. Nothing is sent or believed, so that a certificate that has ended is shown, too. */
const shownBy = ({ host, port, name, cert, key }: Server): Promise<Validity> =>
  new Promise((resolve, reject) => {
    const servername = net.isIP(name) === 0 ? { servername: name } : {};
    const socket = tls.connect({ host, port, ...servername, cert, key, rejectUnauthorized: false });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer in time')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const shown = socket.getPeerX509Certificate();
      socket.destroy();
      if (shown === undefined) reject(new Error('no certificate'));
      else resolve(validityOf(shown));
    });
  });

const hostOf = (url: string): Server => {
  const { hostname, port } = new URL(url);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  return { host, port: Number(port) || HTTPS_PORT, name: host };
};

const ofUrl = (of: CertificateSource['of'], name: string, url: string): CertificateSource[] =>
  url.startsWith('https:') ? [{ of, name: `${name} (${new URL(url).host})`, read: () => shownBy(hostOf(url)) }] : [];

/** The certificates of the way to Temporal. */
export const temporalCertificates = (settings: TemporalSettings): CertificateSource[] => {
  const { address, tls: own } = temporalAt(settings);
  if (own === undefined) return [];
  const { hostname: host, port } = new URL(`tcp://${address}`);
  const { crt: cert, key } = own.clientCertPair ?? {};
  const server = {
    host,
    port: Number(port),
    name: own.serverNameOverride ?? host,
    cert: cert as Buffer,
    key: key as Buffer,
  };
  return [
    { of: 'temporal_server', name: `Temporal (${address})`, read: () => shownBy(server) },
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

const keyOf = ({ of }: CertificateSource, grade: 'ended' | 'soon'): string => `certificate_ends:${of}:${grade}`;

const alertOf = (source: CertificateSource, { until }: Validity, grade: 'ended' | 'soon'): Alert => {
  const at = new Date(until).toISOString();
  return {
    key: keyOf(source, grade),
    kind: 'certificate_ends',
    message: `The certificate of ${source.name} ${grade === 'ended' ? 'has ended' : 'ends'} at ${at}`,
    data: { certificate: source.of, valid_until: at },
    // The end is told again.
    ends: keyOf(source, grade === 'ended' ? 'soon' : 'ended'),
  };
};

export interface CertificateDeps {
  readonly knex: Knex;
  readonly sources: readonly CertificateSource[];
  readonly profile: keyof typeof certificateMs;
  readonly log: Log;
}

/** Reads certificates periodically, and raises and closes the alerts about their ends. What cannot be read tells nothing. */
export const keepCertificates = ({ knex, sources, profile, log }: CertificateDeps): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const trouble = createSpell();

  const close = async (which: string, bindings: Record<string, unknown>): Promise<void> =>
    logOver({ log }, await closeAlerts(knex, `a.kind = 'certificate_ends' AND ${which}`, bindings));

  const look = async (source: CertificateSource): Promise<void> => {
    const validity = await source.read().catch(() => null);
    measure('certificate', {
      of: source.of,
      secondsLeft: validity === null ? null : (validity.until - Date.now()) / 1_000,
    });
    if (validity === null) return;
    const grade = gradeOf(validity, Date.now());
    if (grade === 'good') await close(`split_part(a.dedupe_key, ':', 2) = :of`, { of: source.of });
    else logAlerts({ log }, await raiseAlerts(knex, null, [alertOf(source, validity, grade)]));
  };

  const lookAtAll = async (): Promise<void> => {
    await close(`split_part(a.dedupe_key, ':', 2) <> ALL(:all)`, { all: sources.map(({ of }) => of) });
    for (const source of sources) await look(source);
  };

  const keep = async (): Promise<void> => {
    while (!signal.aborted) {
      await lookAtAll().then(
        () => trouble.ends(() => log.info('Certificates are checked again')),
        (error: unknown) =>
          trouble.begins(() => log.warn('Certificates could not be checked', { error: (error as Error).name })),
      );
      await delay(certificateMs[profile], undefined, { signal }).catch(() => undefined);
    }
  };
  const keeping = keep();

  return {
    stop: async () => {
      stopping.abort();
      await keeping;
    },
  };
};
