import type { Knex } from 'knex';

/** The look of a node's pages for buyers, and the origins that may frame them. A node without a row has its parent's. */
export const branding = {
  name: '0053-branding',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE branding (
  node_id uuid PRIMARY KEY REFERENCES nodes (id),
  display_name text CHECK (length(display_name) BETWEEN 1 AND 100),
  accent_color text CHECK (accent_color ~ '^#[0-9a-f]{6}$'),
  logo bytea CHECK (octet_length(logo) <= 65536),
  logo_sha256 bytea GENERATED ALWAYS AS (sha256(logo)) STORED,
  frame_origins text[] NOT NULL DEFAULT '{}' CHECK (cardinality(frame_origins) <= 20),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(display_name, accent_color, logo) > 0 OR cardinality(frame_origins) > 0)
);
CREATE INDEX branding_logo ON branding (logo_sha256) WHERE logo_sha256 IS NOT NULL;`),
};
