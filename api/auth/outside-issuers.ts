import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { parse } from 'yaml';
import { findNodeById, findNodeByName } from '../../db/nodes/nodes.ts';
import { parseOutsideIssuers, type OutsideIssuer } from '../../domain/outside-issuer.ts';
import { formats } from '../http/formats.ts';

/** An issuer whose node was found. */
export interface ResolvedIssuer extends OutsideIssuer {
  readonly nodeId: string;
}

/** Everything that is wrong with the file of outside issuers, one sentence each. */
export class OutsideIssuersError extends Error {
  override readonly name = 'OutsideIssuersError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`CARAT_OUTSIDE_ISSUERS names a file with ${problems.length} problem(s)`);
    this.problems = problems.map((problem) => `CARAT_OUTSIDE_ISSUERS: ${problem}`);
  }
}

export interface OutsideIssuersSource {
  /** Path of a YAML or JSON file; empty: there are no outside issuers. */
  readonly file: string;
  /** Issuer of the service's own tokens. */
  readonly ownIssuer: string;
  readonly knex: Knex;
}

const read = async (file: string): Promise<unknown> => {
  try {
    return parse(await readFile(file, 'utf8'));
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new OutsideIssuersError([`${file} can not be read (${String(code)})`]);
  }
};

/**
 * Reads the issuers that the operator trusts, once, at boot.
 * @throws OutsideIssuersError with every problem of the file, and with nodes that do not exist
 */
export const readOutsideIssuers = async ({
  file,
  ownIssuer,
  knex,
}: OutsideIssuersSource): Promise<ResolvedIssuer[]> => {
  if (file === '') return [];
  const { issuers, problems } = parseOutsideIssuers(await read(file), ownIssuer);
  const resolved: ResolvedIssuer[] = [];
  for (const issuer of issuers) {
    const { node } = issuer;
    const found = formats.uuid.validate(node) ? await findNodeById(knex, node) : await findNodeByName(knex, node);
    if (found === null) problems.push(`of ${issuer.issuer}: there is no node ${node}, or more than one of that name`);
    else resolved.push({ ...issuer, nodeId: found.id });
  }
  if (problems.length > 0) throw new OutsideIssuersError(problems);
  return resolved;
};
