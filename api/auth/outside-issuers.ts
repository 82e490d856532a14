/**
 * Outside issuers of tokens, such as a company's single sign-on, as the operator lists them in a file. This module
 * turns the file into checked objects and reports all problems at once, each with its place.
 */
import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { load } from 'js-yaml';
import { findNodeById, findNodeByName } from '../../db/nodes/nodes.ts';
import { permissions, type Permission } from '../../domain/access.ts';
import { isUuid } from '../../domain/tools/is-uuid.ts';
import { createSchemaCheck } from '../../runtime/schema-check.ts';

/** An entry of the file. */
interface ListedIssuer {
  /** The exact claim `iss` of its tokens. */
  readonly issuer: string;
  /** The value that the claim `aud` must equal or contain. */
  readonly audience: string;
  /** URL of its public keys (RFC 7517). */
  readonly jwks_uri: string;
  readonly algorithms: readonly string[];
  /** Id or name of a node. The issuer's tokens reach this node and all below it at most. */
  readonly node: string;
  /** The permissions that its tokens may hold at most. */
  readonly permissions: readonly Permission[];
}

/** An issuer whose node was found. */
export interface ResolvedIssuer extends ListedIssuer {
  readonly nodeId: string;
}

/** All problems of the file of outside issuers, one sentence each. */
export class OutsideIssuersError extends Error {
  override readonly name = 'OutsideIssuersError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`CARAT_OUTSIDE_ISSUERS names a file with ${problems.length} problem(s)`);
    this.problems = problems.map((problem) => `CARAT_OUTSIDE_ISSUERS: ${problem}`);
  }
}

export interface OutsideIssuersSource {
  /** Path of a YAML or JSON file; empty when no outside issuer is trusted. */
  readonly file: string;
  /** Issuer of the service's own tokens; no outside issuer may claim it. */
  readonly ownIssuer: string;
  readonly knex: Knex;
}

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

const isIssuer = (text: string): boolean => !text.includes('#') && /^https?:$/.test(urlOf(text)?.protocol ?? '');

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);

const isKeysUri = (text: string): boolean => {
  const url = urlOf(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
};

/** Asymmetric algorithms only: with a symmetric one, everybody who reads the published keys could sign. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

const text = { type: 'string', pattern: String.raw`^[\x21-\x7e]{1,255}$` };
const someOf = (names: readonly string[], rule: string) => {
  return { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', enum: names, rule }, rule };
};
const properties = {
  issuer: {
    ...text,
    format: 'issuer',
    rule: 'must be an http:// or https:// URL without #, at most 255 characters',
  },
  audience: { ...text, rule: 'must be a text of 1 to 255 printable ASCII characters without spaces' },
  jwks_uri: {
    ...text,
    format: 'keys-uri',
    rule: 'must be an https:// URL without user; http:// only to loopback',
  },
  algorithms: someOf(algorithms, `must list one or more of ${algorithms.join(', ')}, each once`),
  node: { type: 'string', minLength: 1, maxLength: 255, rule: 'must be the id or the name of a node' },
  permissions: someOf(permissions, 'must list one or more permissions, each once'),
};
const check = createSchemaCheck(
  {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    rule: 'must be a mapping',
  },
  { issuer: isIssuer, 'keys-uri': isKeysUri },
);

const read = async (file: string): Promise<unknown> => {
  try {
    return load(await readFile(file, 'utf8'));
  } catch (error) {
    const { code, reason } = error as { code?: unknown; reason?: unknown };
    throw new OutsideIssuersError([`${file} cannot be read (${String(code ?? reason)})`]);
  }
};

/**
 * Reads the issuers that the operator trusts; called once, at boot.
 * @throws OutsideIssuersError with every problem of the file, and with nodes that do not exist
 */
export const readOutsideIssuers = async ({
  file,
  ownIssuer,
  knex,
}: OutsideIssuersSource): Promise<ResolvedIssuer[]> => {
  if (file === '') return [];
  const entries = await read(file);
  if (!Array.isArray(entries)) throw new OutsideIssuersError(['must hold a list of issuers']);
  const problems: string[] = [];
  const listed = entries.filter((entry: unknown, index): entry is ListedIssuer => {
    const found = check(entry, `[${index}]`);
    if ((entry as Partial<ListedIssuer> | null)?.issuer === ownIssuer) {
      found.push(`[${index}].issuer must not be the URL of this service`);
    }
    problems.push(...found);
    return found.length === 0;
  });
  const resolved: ResolvedIssuer[] = [];
  for (const [index, entry] of listed.entries()) {
    const { issuer, node } = entry;
    if (listed.findIndex((other) => other.issuer === issuer) !== index) {
      problems.push(`the issuer ${issuer} is listed twice`);
    }
    const found = isUuid(node) ? await findNodeById(knex, node) : await findNodeByName(knex, node);
    if (found === null) problems.push(`issuer ${issuer}: the node ${node} does not exist, or its name is not unique`);
    else resolved.push({ ...entry, nodeId: found.id });
  }
  if (problems.length > 0) throw new OutsideIssuersError(problems);
  return resolved;
};
