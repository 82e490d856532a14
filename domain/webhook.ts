/** The rules of webhook configurations: targets, events and credentials. */
import { invalidRequest, type FieldError } from './errors.ts';
import type { PaymentEvent } from './payment.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/** The hosts that webhooks may call: `public` is https to the internet, `loopback` adds http and https to this machine. */
export const webhookHostModes = ['public', 'loopback'] as const;
export type WebhookHosts = (typeof webhookHostModes)[number];

export type WebhookAuthType = 'basic' | 'token';

/** Every configuration receives these events: the first on its success path, the others on its error path. */
export const standingEvents = [
  'payment.completed',
  'payment.failed',
  'payment.expired',
  'payment.canceled',
  'payment.reversed',
] as const satisfies PaymentEvent[];

/** Further events that a configuration may choose. They go to its success path. */
export const optionalEvents = [
  'payment.created',
  'payment.ready',
  'payment.processing',
  'payment.reorged',
  'payment.cancel_requested',
  'payment.anomaly',
  'checkout.completed',
  'checkout.expired',
  'checkout.canceled',
] as const satisfies (PaymentEvent | `checkout.${string}`)[];
export type OptionalEvent = (typeof optionalEvents)[number];

/** The path of a configuration that receives an event. */
export const pathOf = <Path>(event: string, paths: { readonly success: Path; readonly error: Path }): Path =>
  event !== 'payment.completed' && (standingEvents as readonly string[]).includes(event) ? paths.error : paths.success;

/** The credentials that authenticate Carat to a receiver. Stored encrypted. */
export type WebhookCredentials =
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'token'; readonly token: string }
  // Only for the operator's own receiver, which may rely on the signature alone.
  | { readonly type: 'none' };

/** The encryption context of a configuration's credentials. */
export const credentialsContext = (webhookId: string): string => `webhook ${webhookId} credentials`;
/** The encryption context of a configuration's signing secret. */
export const signingSecretContext = (webhookId: string): string => `webhook ${webhookId} signing secret`;

/** Names that never lead to the internet (RFC 6761, 6762, 8375, and ICANN's `internal`). */
const privateNames = ['localhost', 'local', 'internal', 'home.arpa'];
const isBelow = (name: string, parent: string): boolean => name === parent || name.endsWith(`.${parent}`);

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const isName = (name: string): boolean => name.length <= 253 && name.split('.').every((part) => label.test(part));

type HostKind = 'public' | 'loopback' | 'private';

/** Classifies a host in the URL standard's form, as far as that is possible without the DNS. */
const hostKindOf = (host: string): HostKind => {
  const isAddress = host.startsWith('[') || /^[\d.]+$/.test(host);
  if (isAddress) {
    const address = host.replace(/^\[|\]$/g, '');
    if (isLoopbackAddress(address)) return 'loopback';
    return isPublicAddress(address) ? 'public' : 'private';
  }
  if (isBelow(host, 'localhost')) return 'loopback';
  return host.includes('.') && !privateNames.some((name) => isBelow(host, name)) ? 'public' : 'private';
};

/** True for a host of this machine, in the URL standard's form. */
export const isLoopbackHost = (host: string): boolean => hostKindOf(host) === 'loopback';

/** Parses a URL; null when it is none. Not `URL.canParse`: once Node has optimised that call, it misreads texts with letters such as ü. */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text);
  } catch {
    return null;
  }
};

/** Scheme, host and optional port. Refuses input that the URL standard would silently drop or repair. */
const shape = /^https?:\/\/[^\s\p{Cc}/\\?#@]+\/?$/iu;

/**
 * Reads the `host` of a configuration, which is an origin. Returns its normal form (lower case, punycode, without default port
 * and trailing slash, addresses as the URL standard writes them), or a phrase that follows the field's name.
 */
export const readWebhookHost = (
  text: string,
  hosts: WebhookHosts,
): { readonly origin: string } | { readonly problem: string } => {
  const url = shape.test(text) ? parseUrl(text) : null;
  if (url === null) {
    return { problem: 'must be an origin such as https://shop.example, without a path or a query' };
  }
  const { protocol, hostname, port } = url;
  const host = hostname.replace(/\.$/, '');
  if ((!host.startsWith('[') && !isName(host)) || port === '0') return { problem: 'must name a host that can exist' };
  const place = hostKindOf(host);
  if (place === 'private' || (place === 'loopback' && hosts === 'public')) return { problem: 'must be a public host' };
  if (place === 'public' && protocol !== 'https:') return { problem: 'must begin with https://' };
  return { origin: `${protocol}//${host}${port === '' ? '' : `:${port}`}` };
};

/**
 * True when Carat may connect to this address for a webhook. Checks the resolved address right before each connection, because
 * a name can resolve to another address at any time.
 * @param protocol of the configuration's host, such as `https:`
 */
export const mayConnect = (address: string, protocol: string, hosts: WebhookHosts): boolean =>
  isLoopbackAddress(address) ? hosts === 'loopback' : protocol === 'https:' && isPublicAddress(address);

/** Stands for any host: a path affects all origins in the same way. */
const ANY_ORIGIN = 'https://any.example';

/** The fault of a configuration's path, as a phrase that follows the field's name; null when it has none. */
export const webhookPathProblem = (path: string): string | null => {
  if (!/^\/(?!\/)/.test(path)) return "must begin with exactly one '/'";
  if (/[\\#\s\p{Cc}]/u.test(path)) return "must hold no '\\', no '#', no white space and no control characters";
  return parseUrl(`${ANY_ORIGIN}${path}`)?.origin === ANY_ORIGIN ? null : 'must not leave the host';
};

/** The target of a configuration, as far as a request gives it. */
export interface WebhookTarget {
  readonly host?: string | null;
  readonly success_path?: string | null;
  readonly error_path?: string | null;
}

/**
 * Validates the target of a configuration.
 * @returns the host in its normal form; null when the request names none
 * @throws DomainError invalid_request with every field that breaks a rule
 */
export const readWebhookTarget = ({ host, ...paths }: WebhookTarget, hosts: WebhookHosts): string | null => {
  const errors: FieldError[] = [];
  const read = host == null ? null : readWebhookHost(host, hosts);
  if (read !== null && 'problem' in read) errors.push({ path: '/body/host', message: read.problem });
  for (const name of ['success_path', 'error_path'] as const) {
    const path = paths[name];
    const message = path == null ? null : webhookPathProblem(path);
    if (message !== null) errors.push({ path: `/body/${name}`, message });
  }
  if (errors.length > 0) throw invalidRequest(...errors);
  return read !== null && 'origin' in read ? read.origin : null;
};

/** The headers of an attempt without the secret ones. */
export const openHeaders = (eventId: string, at: Date) => ({
  'content-type': 'application/json',
  'user-agent': 'Carat-Webhooks/1',
  'webhook-id': eventId,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
});

/** Sorts events in the order of `optionalEvents`, so that equal sets look equal. */
export const sortEvents = (events: readonly string[]): OptionalEvent[] =>
  optionalEvents.filter((event) => events.includes(event));
