import { hex } from './hex.ts';

/** Wallets and their diamonds, the accounts that send for them, and deployments. */
export const wallets = `
CREATE TABLE wallets (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  node_id uuid NOT NULL REFERENCES nodes (id),
  chain_id uuid NOT NULL REFERENCES chains (id),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  -- CREATE2 address of the wallet's diamond, the same on every network of the chain
  address text NOT NULL CHECK (${hex('address', 40)}),
  is_active boolean NOT NULL DEFAULT true,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- a client gave the address; its diamond must be one of the registry's
  adopted boolean NOT NULL DEFAULT false,
  -- the node of that client: the diamond must be made for a node within its reach
  adopted_by uuid REFERENCES nodes (id),
  -- how the deals of its new payments come about, by the id of the network; absent: created
  deal_modes jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(deal_modes) = 'object')
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
CREATE INDEX defaults_wallet ON node_network_wallet_defaults (wallet_id);

-- One key on one network. An operator's creates and cancels deals, an upgrader's deploys and cuts; each of both is a lane. A signer's
-- signs offers and sends nothing.
CREATE TABLE signer_accounts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  network_id uuid NOT NULL REFERENCES networks (id),
  address text NOT NULL CHECK (${hex('address', 40)}),
  role text NOT NULL CHECK (role IN ('operator', 'upgrader', 'signer')),
  -- the next nonce to give out; grows only
  next_nonce bigint NOT NULL DEFAULT 0 CHECK (next_nonce >= 0),
  max_inflight integer NOT NULL DEFAULT 16 CHECK (max_inflight BETWEEN 1 AND 1000),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
  status_detail text,
  -- the run that holds the lane; a write with a lower fence is refused
  fence bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- since when the catalogue lacks the key: it finishes its open work and gets nothing new
  dismissed_at timestamptz,
  -- null: the registry was not asked for the role of this signer yet
  role_read_at timestamptz,
  UNIQUE (network_id, address)
);

-- The keys that workers hold. A key signs on every network, so the address alone is kept.
CREATE TABLE key_holders (
  -- one run of a worker
  worker_id uuid NOT NULL,
  address text NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
  -- by the clock of the database; a row that is not renewed is of a worker that has died
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (worker_id, address)
);
CREATE INDEX key_holders_address ON key_holders (address);

CREATE TABLE diamonds (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  wallet_id uuid NOT NULL REFERENCES wallets (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  address text NOT NULL CHECK (${hex('address', 40)}),
  -- the lane that serves it
  operator_account_id uuid NOT NULL REFERENCES signer_accounts (id),
  -- active once its code has the network's confirmations
  status text NOT NULL DEFAULT 'deploying' CHECK (status IN ('deploying', 'active')),
  release text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- from the nonce of a cut to the end of its run: creates wait, all else goes on
  updating boolean NOT NULL DEFAULT false,
  UNIQUE (wallet_id, network_id),
  UNIQUE (network_id, address)
);
CREATE INDEX diamonds_updating ON diamonds (network_id, address) WHERE updating;
-- is an address a diamond on some network?
CREATE INDEX diamonds_address ON diamonds (address);

-- Runs of a diamond: it is deployed once, and updated as often as there are releases, one run at a time.
CREATE TABLE deployments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  wallet_id uuid NOT NULL REFERENCES wallets (id),
  network_id uuid NOT NULL REFERENCES networks (id),
  kind text NOT NULL CHECK (kind IN ('deploy', 'update')),
  status text NOT NULL DEFAULT 'started' CHECK (status IN ('started', 'completed', 'failed')),
  requested_by uuid REFERENCES integrations (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- why it waits
  status_detail text,
  -- in the order of the requests, because a clock may step back
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY
);
CREATE UNIQUE INDEX deployments_once ON deployments (wallet_id, network_id) WHERE kind = 'deploy';
-- a failed run is not finished: the next request takes it up
CREATE UNIQUE INDEX deployments_unfinished ON deployments (wallet_id, network_id) WHERE status <> 'completed';
CREATE INDEX deployments_list ON deployments (wallet_id, created_at DESC, id DESC);
CREATE INDEX deployments_under_way ON deployments (wallet_id) WHERE status = 'started';

CREATE TABLE deployment_steps (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  deployment_id uuid NOT NULL REFERENCES deployments (id),
  seq integer NOT NULL,
  key text NOT NULL CHECK (key IN ('preflight', 'deploy_facets', 'deploy_diamond', 'cut', 'verify', 'activate')),
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
`;
