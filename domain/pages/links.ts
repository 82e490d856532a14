/** The rules for links of a buyer's page: where it leads the buyer, and which pages may frame it. */
import { isLoopbackHost, parseUrl, type WebhookHosts } from '../webhook.ts';

/** Most characters of a link. */
const MAX_LENGTH = 2_048;

/** Refuses input that the URL standard would silently drop or repair, and characters that make a link look like another. */
const shape = /^https?:\/\/[^\s\p{Cc}\p{Cf}/\\?#][^\s\p{Cc}\p{Cf}\\]*$/iu;

/** A label of a name as a content security policy can say it. */
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const isPlainHost = (host: string): boolean => host.length <= 253 && host.split('.').every((part) => label.test(part));

const schemeProblem = ({ protocol, hostname }: URL, hosts: WebhookHosts): string | null => {
  if (protocol === 'https:' || (hosts === 'loopback' && isLoopbackHost(hostname))) return null;
  return 'must begin with https://';
};

/**
 * The fault of a link to which a page leads the buyer, as a phrase that follows the field's name; null when it has none.
 * Any host will do, because the buyer's browser opens the link and Carat never does.
 * @param hosts `loopback` allows http to this machine
 */
export const linkProblem = (link: string, hosts: WebhookHosts): string | null => {
  if (link.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  const url = shape.test(link) ? parseUrl(link) : null;
  if (url === null) return 'must be a URL such as https://shop.example/thanks';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  return schemeProblem(url, hosts);
};

/** The origin of a page that may frame Carat's page, in its normal form; or a phrase that follows the field's name. */
export const readFrameOrigin = (
  text: string,
  hosts: WebhookHosts,
): { readonly origin: string } | { readonly problem: string } => {
  const url = /^https?:\/\/[^\s\p{Cc}/\\?#@]+\/?$/iu.test(text) ? parseUrl(text) : null;
  if (url === null) return { problem: 'must be an origin such as https://shop.example, without a path or a query' };
  if (!isPlainHost(url.hostname)) return { problem: 'must name one host, without a wildcard' };
  const problem = schemeProblem(url, hosts);
  return problem === null ? { origin: url.origin } : { problem };
};

/** The fault of the language of a page, as a phrase that follows the field's name; null when it has none. */
export const localeProblem = (locale: string): string | null => {
  try {
    Intl.getCanonicalLocales(locale);
    return null;
  } catch {
    return 'must be a language tag (BCP 47), such as de or pt-BR';
  }
};
