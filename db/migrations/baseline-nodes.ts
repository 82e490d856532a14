import { hex } from './hex.ts';

/** Nodes, the catalogue of chains, networks and currencies, and the rows that belong to a node alone. */
export const nodes = `
CREATE TABLE nodes (
  id uuid PRIMARY KEY,
  parent_id uuid REFERENCES nodes (id),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  -- from the root down to the node itself, so that "is a descendant of" is one comparison
  path uuid[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (path[cardinality(path)] = id)
);
CREATE INDEX nodes_path ON nodes USING gin (path);

CREATE FUNCTION node_path() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.parent_id IS DISTINCT FROM OLD.parent_id THEN
    RAISE EXCEPTION 'the parent of node % can not change', NEW.id USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.parent_id IS NULL THEN
    NEW.path := ARRAY[NEW.id];
  ELSE
    SELECT path || NEW.id INTO STRICT NEW.path FROM nodes WHERE id = NEW.parent_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER node_path BEFORE INSERT OR UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION node_path();

-- The addresses of its contracts follow from first_root, platform_id and approval_delay.
CREATE TABLE chains (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 255),
  created_at timestamptz NOT NULL DEFAULT now(),
  first_root text NOT NULL CHECK (first_root ~ '^0x[0-9a-f]{40}$'),
  platform_id text NOT NULL CHECK (platform_id ~ '^0x[0-9a-f]{64}$'),
  -- seconds
  approval_delay integer NOT NULL CHECK (approval_delay BETWEEN 0 AND 2592000),
  CONSTRAINT chains_platform UNIQUE (first_root, platform_id, approval_delay)
);

CREATE TABLE networks (
  id uuid PRIMARY KEY,
  chain_id uuid NOT NULL REFERENCES chains (id),
  name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 255),
  eip155 bigint NOT NULL UNIQUE CHECK (eip155 > 0),
  -- several, tried in order; may contain keys of a provider, so they are never shown
  rpc_urls text[] NOT NULL CHECK (cardinality(rpc_urls) BETWEEN 1 AND 16),
  -- the number of endpoints that must agree before a payment completes or expires
  quorum integer NOT NULL DEFAULT 1 CHECK (quorum >= 1 AND quorum <= cardinality(rpc_urls)),
  confirmations integer NOT NULL CHECK (confirmations BETWEEN 1 AND 10000),
  -- block headers kept below the tip, in blocks
  finality integer NOT NULL CHECK (finality > confirmations),
  block_time_ms integer NOT NULL CHECK (block_time_ms BETWEEN 50 AND 3600000),
  explorer_url text,
  -- ceiling of maxFeePerGas, in wei
  max_fee_per_gas numeric(78, 0) NOT NULL CHECK (max_fee_per_gas > 0),
  genesis_hash text CHECK (${hex('genesis_hash', 64)}),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- the root and the guardian that the registry must have now
  root text NOT NULL CHECK (root ~ '^0x[0-9a-f]{40}$'),
  guardian text NOT NULL CHECK (guardian ~ '^0x[0-9a-f]{40}$'),
  -- since when it accepts nothing new
  retired_at timestamptz,
  -- since when nothing of it can be paid or reversed any more
  rested_at timestamptz,
  native_symbol text NOT NULL DEFAULT 'ETH' CHECK (length(native_symbol) BETWEEN 1 AND 32),
  -- endpoints that wallets of buyers may use; never those of the operator, whose URLs may contain keys
  public_rpc_urls text[] NOT NULL DEFAULT '{}' CHECK (cardinality(public_rpc_urls) <= 16),
  CHECK (rested_at IS NULL OR retired_at IS NOT NULL),
  UNIQUE (id, chain_id)
);

CREATE TABLE currencies (
  id uuid PRIMARY KEY,
  symbol text NOT NULL UNIQUE CHECK (length(symbol) BETWEEN 1 AND 32),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 36),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE currency_tokens (
  currency_id uuid NOT NULL REFERENCES currencies (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  -- null is the native coin of the network
  address text CHECK (${hex('address', 40)}),
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 36),
  -- the EIP-712 domain of its permits (EIP-2612), which the chain has confirmed; null: it is used without permits
  permit_name text CHECK (length(permit_name) <= 255),
  permit_version text CHECK (length(permit_version) <= 32),
  PRIMARY KEY (currency_id, network_id),
  UNIQUE NULLS NOT DISTINCT (network_id, address),
  CHECK ((permit_name IS NULL) = (permit_version IS NULL)),
  CHECK (permit_name IS NULL OR address IS NOT NULL)
);

CREATE TABLE integrations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  node_id uuid NOT NULL REFERENCES nodes (id),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  api_key text NOT NULL UNIQUE,
  -- SHA-256 of a random 256-bit secret
  secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
  permissions text[] NOT NULL,
  expires_at timestamptz,
  created_by uuid REFERENCES integrations (id),
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- the secret before the last rotation, good until its overlap ends
  previous_secret_hash bytea CHECK (length(previous_secret_hash) = 32),
  previous_secret_until timestamptz,
  CHECK ((previous_secret_hash IS NULL) = (previous_secret_until IS NULL))
);
CREATE UNIQUE INDEX integrations_name ON integrations (node_id, name) WHERE revoked_at IS NULL;
CREATE INDEX integrations_list ON integrations (node_id, created_at DESC, id DESC);

-- Keys that sign access tokens (EdDSA) and widget tokens (HMAC); private parts are encrypted with the master key.
CREATE TABLE token_keys (
  kid text PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('access', 'widget')),
  public_jwk jsonb,
  encrypted_secret bytea CONSTRAINT token_keys_sealed_secret_not_null NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  retired_at timestamptz,
  -- a key is published before it signs: a reader that keeps the public keys for a while knows it by then
  signs_from timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((purpose = 'access') = (public_jwk IS NOT NULL))
);

CREATE TABLE members (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  node_id uuid NOT NULL REFERENCES nodes (id),
  external_id text NOT NULL CHECK (length(external_id) BETWEEN 1 AND 255),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  surname text CHECK (length(surname) <= 255),
  email text CHECK (length(email) <= 255),
  phone text CHECK (length(phone) <= 50),
  identity_number text CHECK (length(identity_number) <= 50),
  tax_office text CHECK (length(tax_office) <= 255),
  tax_number text CHECK (length(tax_number) <= 50),
  address text,
  district text CHECK (length(district) <= 255),
  city text CHECK (length(city) <= 255),
  country text CHECK (length(country) <= 10),
  contact_name text CHECK (length(contact_name) <= 255),
  locale text CHECK (length(locale) <= 10),
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (id, node_id)
);
CREATE UNIQUE INDEX members_external_id ON members (node_id, external_id) WHERE deleted_at IS NULL;
CREATE INDEX members_list ON members (node_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

-- The look of a node's pages for buyers, and the origins that may frame them. A node without a row has its parent's.
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
CREATE INDEX branding_logo ON branding (logo_sha256) WHERE logo_sha256 IS NOT NULL;

-- The payee of a node on a chain, and whether it is locked.
CREATE TABLE payouts (
  node_id uuid NOT NULL REFERENCES nodes (id),
  chain_id uuid NOT NULL REFERENCES chains (id),
  address text CHECK (address ~ '^0x[0-9a-f]{40}$'),
  locked boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (node_id, chain_id),
  CHECK (address IS NOT NULL OR NOT locked)
);
`;
