/**
 * Issuers of tokens outside of Carat, such as a company's single sign-on, as the operator lists them in a file. Here the
 * file's content becomes checked objects; every problem is told at once, with its place.
 */
import { isPermission, type Permission } from './access.ts';

/** Signatures whose keys can be published. Anything symmetric would let whoever reads the keys sign. */
export const outsideAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;

export interface OutsideIssuer {
  /** The claim `iss` of its tokens, to the letter. */
  readonly issuer: string;
  /** What the claim `aud` must be or hold. */
  readonly audience: string;
  /** Where its public keys are (RFC 7517). */
  readonly jwksUri: string;
  readonly algorithms: readonly string[];
  /** Id or name of the node that its tokens reach at most, with all below it. */
  readonly node: string;
  /** What its tokens may hold at most. */
  readonly permissions: readonly Permission[];
}

const fields = ['issuer', 'audience', 'jwks_uri', 'algorithms', 'node', 'permissions'] as const;

const isText = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value);

const isIssuer = (value: unknown): value is string =>
  isText(value) && !value.includes('#') && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);

const isKeysUri = (value: unknown): value is string => {
  if (!isText(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return safe && username === '' && password === '';
};

const isListOf = (value: unknown, isMember: (entry: string) => boolean): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  new Set(value).size === value.length &&
  value.every((entry) => typeof entry === 'string' && isMember(entry));

/** What is wrong with one entry, as rules that follow the name of a field. */
const rulesOf = (entry: Readonly<Record<string, unknown>>, ownIssuer: string) => {
  const broken: [string, string][] = [];
  const check = (field: (typeof fields)[number], holds: boolean, rule: string): void => {
    if (!holds) broken.push([field, rule]);
  };
  check('issuer', isIssuer(entry.issuer), 'must be an http:// or https:// URL without #, at most 255 characters');
  check('issuer', entry.issuer !== ownIssuer, 'must not be the URL of this service');
  check('audience', isText(entry.audience), 'must be a text of 1 to 255 printable ASCII characters without spaces');
  check('jwks_uri', isKeysUri(entry.jwks_uri), 'must be an https:// URL without user; http:// only to loopback');
  check(
    'algorithms',
    isListOf(entry.algorithms, (name) => (outsideAlgorithms as readonly string[]).includes(name)),
    `must be a list of some of ${outsideAlgorithms.join(', ')}, each once`,
  );
  check(
    'node',
    typeof entry.node === 'string' && entry.node.length > 0 && entry.node.length <= 255,
    'must be the id or the name of a node',
  );
  check('permissions', isListOf(entry.permissions, isPermission), 'must be a list of permissions, each once');
  return broken;
};

/**
 * Checks what was read from the file.
 * @param ownIssuer issuer of the service's own tokens, which nobody else may claim to be
 * @returns the issuers without those that have a problem, and the problems, a sentence each
 */
export const parseOutsideIssuers = (
  input: unknown,
  ownIssuer: string,
): { issuers: OutsideIssuer[]; problems: string[] } => {
  if (!Array.isArray(input)) return { issuers: [], problems: ['must hold a list of issuers'] };
  const problems: string[] = [];
  const issuers = input.flatMap((value: unknown, index): OutsideIssuer[] => {
    const place = `[${index}]`;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.push(`${place} must be a mapping`);
      return [];
    }
    const entry = value as Readonly<Record<string, unknown>>;
    const unknown = Object.keys(entry).filter((key) => !(fields as readonly string[]).includes(key));
    const found = [
      ...unknown.map((key) => `${place}.${key} is not known; there are ${fields.join(', ')}`),
      ...rulesOf(entry, ownIssuer).map(([field, rule]) => `${place}.${field} ${rule}`),
    ];
    problems.push(...found);
    if (found.length > 0) return [];
    const { issuer, audience, jwks_uri, algorithms, node, permissions } = entry as Record<string, string> & {
      algorithms: string[];
      permissions: Permission[];
    };
    return [
      {
        issuer: issuer ?? '',
        audience: audience ?? '',
        jwksUri: jwks_uri ?? '',
        algorithms,
        node: node ?? '',
        permissions,
      },
    ];
  });
  for (const [index, { issuer }] of issuers.entries()) {
    if (issuers.findIndex((other) => other.issuer === issuer) !== index) {
      problems.push(`the issuer ${issuer} is there twice`);
    }
  }
  return { issuers, problems };
};
