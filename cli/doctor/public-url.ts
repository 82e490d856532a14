import os from 'node:os';
import { clockFinding, findingsOf, type Finding } from './finding.ts';

const { ok, warning, problem } = findingsOf('public url');

/** Milliseconds for the answer. */
const PATIENCE_MS = 5_000;

const loopbacks = ['localhost', '127.0.0.1', '[::1]'];

/** The meaning of a failed request, by its code. */
const remedies: Readonly<Record<string, string>> = {
  ENOTFOUND: 'correct CARAT_PUBLIC_URL, or the DNS of its host',
  ECONNREFUSED:
    'start the api or the proxy before it, or correct CARAT_PUBLIC_URL; in a container, 127.0.0.1 is the container itself',
  CERT_HAS_EXPIRED: 'renew the certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'use a certificate that browsers trust',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use a certificate for this host',
  SELF_SIGNED_CERT_IN_CHAIN: 'use a certificate that browsers trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'serve the whole chain of the certificate',
};

const failure = (url: string, error: unknown): Finding => {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown; message?: string } };
  const code = String(cause?.code ?? '');
  const why = name === 'TimeoutError' ? 'no answer in time' : code || cause?.message || 'the connection failed';
  return problem(
    `${url} cannot be reached from here: ${why}`,
    remedies[code] ??
      'check the proxy, the certificate and the firewall; a host that cannot reach itself needs a check from elsewhere',
  );
};

/** True for a loopback that refuses while apis live on other hosts only: it is not the loopback that clients mean. */
const isOtherLoopback = async (url: string, error: unknown, apiHosts: () => Promise<string[]>): Promise<boolean> => {
  const { cause } = error as { cause?: { code?: unknown } };
  if (cause?.code !== 'ECONNREFUSED' || !loopbacks.includes(new URL(url).hostname)) return false;
  const hosts = await apiHosts().catch((): string[] => []);
  return hosts.length > 0 && !hosts.includes(os.hostname());
};

/**
 * Checks the api by the URL that clients use. It is asked from this machine: a monitor elsewhere sees what clients see.
 * @param apiHosts reads the hosts of the apis that live
 */
export const publicUrlFindings = async (
  url: string,
  now: () => number,
  apiHosts: () => Promise<string[]>,
): Promise<Finding[]> => {
  const { protocol, hostname } = new URL(url);
  const plain =
    protocol === 'http:' && !loopbacks.includes(hostname)
      ? [
          warning(
            `${url} is without TLS: tokens and answers can be read on the way`,
            'put a proxy with TLS before the api, and an https:// URL here',
          ),
        ]
      : [];
  const began = now();
  try {
    const response = await fetch(`${url}/readyz`, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    const halfway = (began + now()) / 2;
    await response.body?.cancel();
    const date = Date.parse(response.headers.get('date') ?? '');
    const clock = Number.isNaN(date)
      ? []
      : [clockFinding("the api's", date + 500 - halfway, 'of this machine or of the api')];
    if (response.status === 200) return [ok(`${url} answers`), ...plain, ...clock];
    return [
      problem(
        `${url}/readyz answers ${response.status}`,
        response.status === 503
          ? 'the api runs and does not reach its database: read its log'
          : 'let the proxy pass this path to the api, or correct CARAT_PUBLIC_URL',
      ),
      ...plain,
    ];
  } catch (error) {
    if (await isOtherLoopback(url, error, apiHosts)) {
      return [
        warning(
          `${url} could not be asked: an api lives on another host, such as a container of its own, and ${new URL(url).hostname} is this one`,
          `ask it where clients are: curl ${url}/readyz`,
        ),
      ];
    }
    return [failure(url, error), ...plain];
  }
};
