import type { Knex } from 'knex';
import { prepared, type Statement } from '../query/statements.ts';

/** The branding of one node, without inherited fields. */
export interface Branding {
  readonly displayName: string | null;
  /** `#rrggbb` in lower case. */
  readonly accentColor: string | null;
  /** SHA-256 of the logo in lower-case hex. */
  readonly logo: string | null;
  /** Origins that may frame the pages. */
  readonly frameOrigins: readonly string[];
}

/** The seller, as the page of a payment shows it. */
export interface MerchantRow {
  readonly name: string;
  readonly accent_color: string | null;
  /** SHA-256 of the logo in lower-case hex. */
  readonly logo: string | null;
}

/** SQL: the branding that applies to a node, by the expression of its path: its own, else that of the nearest node above. */
const nearest = (path: string): string => `(
  SELECT b.display_name, b.accent_color, encode(b.logo_sha256, 'hex') AS logo, b.frame_origins FROM branding b
  WHERE b.node_id = ANY (${path}) ORDER BY array_position(${path}, b.node_id) DESC LIMIT 1)`;

/** SQL: a column `merchant` (`MerchantRow`) for a query of any number of nodes, joined as `n`. */
export const merchantColumn = `(
  SELECT jsonb_build_object('name', coalesce(b.display_name, n.name), 'accent_color', b.accent_color, 'logo', b.logo)
  FROM (SELECT) one LEFT JOIN LATERAL ${nearest('n.path')} b ON true) AS merchant`;

const readStatement: Statement = {
  name: 'read_branding',
  text: `SELECT b.display_name, b.accent_color, encode(b.logo_sha256, 'hex') AS logo, b.frame_origins, b.updated_at,
    ${merchantColumn} FROM nodes n LEFT JOIN branding b ON b.node_id = n.id WHERE n.id = $1`,
};

interface ReadRow {
  readonly display_name: string | null;
  readonly accent_color: string | null;
  readonly logo: string | null;
  readonly frame_origins: string[] | null;
  readonly updated_at: Date | null;
  readonly merchant: MerchantRow;
}

/** The branding of an existing node, and the merchant that its pages show, by it or by the nodes above. */
export interface ReadBranding extends Branding {
  readonly merchant: MerchantRow;
  /** Null when the node has no branding. */
  readonly updatedAt: Date | null;
}

export const readBranding = async (knex: Knex, nodeId: string): Promise<ReadBranding> => {
  const [row] = await prepared<ReadRow>(knex, readStatement, [nodeId]);
  if (row === undefined) throw new Error('there is no such node');
  return {
    displayName: row.display_name,
    accentColor: row.accent_color,
    logo: row.logo,
    frameOrigins: row.frame_origins ?? [],
    merchant: row.merchant,
    updatedAt: row.updated_at,
  };
};

/** A change of some parts of a branding. Undefined parts stay as they are. */
export interface BrandingChange {
  readonly display_name?: string | null;
  readonly accent_color?: string | null;
  /** Bytes of the image. */
  readonly logo?: Buffer | null;
  readonly frame_origins?: readonly string[];
}

/** Holds off other changes of the branding of a node until the transaction ends. */
export const lockBranding = async (trx: Knex.Transaction, nodeId: string): Promise<void> => {
  await trx.raw('SELECT FROM nodes WHERE id = ? FOR NO KEY UPDATE', [nodeId]);
};

/**
 * Changes the branding of a node that `lockBranding` holds. A branding of which nothing is left is deleted.
 * @param stored as `readBranding` answers it in the same transaction
 */
export const changeBranding = async (
  trx: Knex.Transaction,
  { nodeId, stored, change }: { nodeId: string; stored: Branding; change: BrandingChange },
): Promise<void> => {
  const { display_name: name = stored.displayName, accent_color: color = stored.accentColor } = change;
  const { frame_origins: origins = stored.frameOrigins, logo = stored.logo } = change;
  if ([name, color, logo].every((part) => part === null) && origins.length === 0) {
    await trx('branding').where({ node_id: nodeId }).delete();
    return;
  }
  const values = {
    display_name: name,
    accent_color: color,
    frame_origins: [...origins],
    ...(change.logo !== undefined && { logo: change.logo }),
    updated_at: trx.raw('clock_timestamp()'),
  };
  // An upsert would check its new row, which lacks the stored logo, against the rule that a branding is never empty.
  if ((await trx('branding').where({ node_id: nodeId }).update(values)) === 0)
    await trx('branding').insert({ node_id: nodeId, ...values });
};

const logoStatement: Statement = {
  name: 'read_logo',
  text: `SELECT logo FROM branding WHERE logo_sha256 = decode($1, 'hex') LIMIT 1`,
};

/** The bytes of a logo that some node has now. */
export const findLogo = async (knex: Knex, sha256: string): Promise<Buffer | null> => {
  const [row] = await prepared<{ logo: Buffer }>(knex, logoStatement, [sha256]);
  return row?.logo ?? null;
};

const originsStatement: Statement = {
  name: 'frame_origins',
  text: `SELECT b.frame_origins FROM (SELECT node_id FROM payments WHERE id = $1 UNION ALL SELECT node_id FROM checkouts WHERE id = $1) p
    JOIN nodes n ON n.id = p.node_id CROSS JOIN LATERAL ${nearest('n.path')} b`,
};

/** The origins that may frame the page of a payment or of an order; none for an unknown id. */
export const frameOriginsOf = async (knex: Knex, id: string): Promise<readonly string[]> => {
  const [row] = await prepared<{ frame_origins: string[] }>(knex, originsStatement, [id]);
  return row?.frame_origins ?? [];
};
