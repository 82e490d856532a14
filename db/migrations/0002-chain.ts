import type { Knex } from 'knex';

/** Wallets and their diamonds, deployments, and what it takes to get a transaction on the chain exactly once. */
export const chain = {
  name: '0002-chain',
  up: (knex: Knex) =>
    knex.raw(`
CREATE TABLE wallets (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  node_id uuid NOT NULL REFERENCES nodes (id),
  chain_id uuid NOT NULL REFERENCES chains (id),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  -- CREATE2 address of the wallet's diamond, the same on every network of the chain
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  is_active boolean NOT NULL DEFAULT true,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX wallets_address ON wallets (chain_id, address) WHERE deleted_at IS NULL;
CREATE INDEX wallets_list ON wallets (node_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE node_network_wallet_defaults (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  node_id uuid NOT NULL REFERENCES nodes (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  wallet_id uuid NOT NULL REFERENCES wallets (id),
  type text NOT NULL CHECK (type IN ('apex', 'node')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (node_id, network_id, type)
);

-- One key on one network. An operator's creates and cancels deals, an upgrader's deploys and cuts; each is a lane.
CREATE TABLE signer_accounts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  network_id uuid NOT NULL REFERENCES networks (id),
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  role text NOT NULL CHECK (role IN ('operator', 'upgrader')),
  -- the next nonce to give out; grows only
  next_nonce bigint NOT NULL DEFAULT 0 CHECK (next_nonce >= 0),
  max_inflight integer NOT NULL DEFAULT 16 CHECK (max_inflight BETWEEN 1 AND 1000),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
  status_detail text,
  -- the run that holds the lane; a write with a lower fence is refused
  fence bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (network_id, address)
);

CREATE TABLE diamonds (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  wallet_id uuid NOT NULL REFERENCES wallets (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  -- the lane that serves it
  operator_account_id uuid NOT NULL REFERENCES signer_accounts (id),
  -- active once its code has the network's confirmations
  status text NOT NULL DEFAULT 'deploying' CHECK (status IN ('deploying', 'active')),
  release text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (wallet_id, network_id),
  UNIQUE (network_id, address)
);

CREATE TABLE deployments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  wallet_id uuid NOT NULL REFERENCES wallets (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  kind text NOT NULL CHECK (kind IN ('deploy', 'update')),
  status text NOT NULL DEFAULT 'started' CHECK (status IN ('started', 'completed', 'failed')),
  requested_by uuid REFERENCES integrations (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX deployments_once ON deployments (wallet_id, network_id) WHERE kind = 'deploy';

CREATE TABLE deployment_steps (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  deployment_id uuid NOT NULL REFERENCES deployments (id),
  seq integer NOT NULL,
  key text NOT NULL CHECK (key IN ('preflight', 'deploy_facets', 'deploy_diamond', 'verify', 'activate')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'started', 'completed', 'failed')),
  -- counts the tries of a step that failed, so that each try has its own intents
  generation integer NOT NULL DEFAULT 1,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (deployment_id, seq),
  UNIQUE (deployment_id, key)
);
`),
};
