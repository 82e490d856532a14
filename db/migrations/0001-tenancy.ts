import type { Knex } from 'knex';

/** Nodes, the catalogue of chains, networks and currencies, integrations, signing keys of tokens, members. */
export const tenancy = {
  name: '0001-tenancy',
  up: (knex: Knex) =>
    knex.raw(`
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

CREATE TABLE chains (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 255),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE networks (
  id uuid PRIMARY KEY,
  chain_id uuid NOT NULL REFERENCES chains (id),
  name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 255),
  eip155 bigint NOT NULL UNIQUE CHECK (eip155 > 0),
  -- several, tried in order; may hold keys of a provider, so they are never shown
  rpc_urls text[] NOT NULL CHECK (cardinality(rpc_urls) BETWEEN 1 AND 16),
  -- how many endpoints must agree before a payment completes or expires
  quorum integer NOT NULL DEFAULT 1 CHECK (quorum >= 1 AND quorum <= cardinality(rpc_urls)),
  confirmations integer NOT NULL CHECK (confirmations BETWEEN 1 AND 10000),
  -- block headers kept below the tip, in blocks
  finality integer NOT NULL CHECK (finality > confirmations),
  block_time_ms integer NOT NULL CHECK (block_time_ms BETWEEN 50 AND 3600000),
  explorer_url text,
  -- ceiling of maxFeePerGas, in wei
  max_fee_per_gas numeric(78, 0) NOT NULL CHECK (max_fee_per_gas > 0),
  genesis_hash text CHECK (genesis_hash ~ '^0x[0-9a-f]{64}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
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
  address text CHECK (address ~ '^0x[0-9a-f]{40}$'),
  decimals smallint NOT NULL CHECK (decimals BETWEEN 0 AND 36),
  PRIMARY KEY (currency_id, network_id),
  UNIQUE NULLS NOT DISTINCT (network_id, address)
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
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX integrations_name ON integrations (node_id, name) WHERE revoked_at IS NULL;

-- Keys that sign access tokens (EdDSA) and widget tokens (HMAC); private parts are sealed with the master key.
CREATE TABLE token_keys (
  kid text PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('access', 'widget')),
  public_jwk jsonb,
  sealed_secret bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  retired_at timestamptz,
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
`),
};
