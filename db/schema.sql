-- The schema that carat migrate makes, with the privileges of the processes' role. Not run by anything: npm run build:schema
-- writes it, and test/db/schema.test.ts compares it. The steps that make it are in db/migrations, with comments.

CREATE TABLE alerts (
  id uuid DEFAULT uuidv7() NOT NULL,
  dedupe_key text NOT NULL,
  kind text NOT NULL,
  network_id uuid,
  payment_id uuid,
  message text NOT NULL,
  data jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  node_id uuid,
  webhook_id uuid,
  is_condition boolean DEFAULT false NOT NULL,
  closed_at timestamp with time zone,
  closed_by text,
  subject_id text,
  cause text DEFAULT ''::text NOT NULL,
  CONSTRAINT alerts_pkey PRIMARY KEY (id),
  CONSTRAINT alerts_check CHECK (((closed_by IS NULL) OR (closed_at IS NOT NULL))),
  CONSTRAINT alerts_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  CONSTRAINT alerts_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id),
  CONSTRAINT alerts_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);
CREATE UNIQUE INDEX alerts_condition_once ON alerts USING btree (dedupe_key) WHERE (is_condition AND (closed_at IS NULL));
CREATE UNIQUE INDEX alerts_incident_once ON alerts USING btree (dedupe_key) WHERE (NOT is_condition);
CREATE INDEX alerts_list ON alerts USING btree (created_at DESC, id DESC);
CREATE INDEX alerts_open ON alerts USING btree (created_at DESC, id DESC) WHERE (closed_at IS NULL);
CREATE TRIGGER alert_subject BEFORE INSERT OR UPDATE OF dedupe_key ON alerts FOR EACH ROW WHEN ((new.is_condition AND (new.subject_id IS NULL))) EXECUTE FUNCTION alert_subject();

CREATE TABLE alive_turn (
  is_only boolean DEFAULT true NOT NULL,
  told_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  CONSTRAINT alive_turn_pkey PRIMARY KEY (is_only),
  CONSTRAINT alive_turn_is_only_check CHECK (is_only)
);

CREATE TABLE audit_chain (
  is_only boolean DEFAULT true NOT NULL,
  closed bigint NOT NULL,
  last_number bigint DEFAULT 0 NOT NULL,
  last_minute bigint DEFAULT 0 NOT NULL,
  last_digest bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
  forgotten_number bigint DEFAULT 0 NOT NULL,
  forgotten_minute bigint DEFAULT 0 NOT NULL,
  forgotten_digest bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
  forgotten_at timestamp with time zone,
  CONSTRAINT audit_chain_pkey PRIMARY KEY (is_only),
  CONSTRAINT audit_chain_is_only_check CHECK (is_only)
);
CREATE TRIGGER audit_end BEFORE UPDATE ON audit_chain FOR EACH ROW EXECUTE FUNCTION audit_end();

CREATE TABLE audit_links (
  number bigint NOT NULL,
  minute bigint NOT NULL,
  entries integer NOT NULL,
  entries_digest bytea NOT NULL,
  digest bytea NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT audit_links_pkey PRIMARY KEY (number),
  CONSTRAINT audit_links_minute_key UNIQUE (minute)
);
CREATE TRIGGER audit_link BEFORE INSERT ON audit_links FOR EACH ROW EXECUTE FUNCTION audit_link();
CREATE TRIGGER audit_present BEFORE INSERT ON audit_links FOR EACH STATEMENT EXECUTE FUNCTION audit_present();

CREATE TABLE audit_log (
  id uuid DEFAULT audit_id() NOT NULL,
  node_id uuid NOT NULL,
  actor_id text,
  actor_node_id uuid,
  action text NOT NULL,
  resource_id uuid NOT NULL,
  before jsonb,
  after jsonb,
  address text,
  request_id text,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_list ON audit_log USING btree (node_id, created_at DESC, id DESC);
CREATE INDEX audit_log_resource ON audit_log USING btree (resource_id);

CREATE TABLE block_headers (
  network_id uuid NOT NULL,
  number bigint NOT NULL,
  hash text NOT NULL,
  parent_hash text NOT NULL,
  timestamp bigint NOT NULL,
  CONSTRAINT block_headers_pkey PRIMARY KEY (network_id, number),
  CONSTRAINT block_headers_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id)
);

CREATE TABLE branding (
  node_id uuid NOT NULL,
  display_name text,
  accent_color text,
  logo bytea,
  logo_sha256 bytea GENERATED ALWAYS AS (sha256(logo)) STORED,
  frame_origins text[] DEFAULT '{}'::text[] NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT branding_pkey PRIMARY KEY (node_id),
  CONSTRAINT branding_accent_color_check CHECK ((accent_color ~ '^#[0-9a-f]{6}$'::text)),
  CONSTRAINT branding_check CHECK (((num_nonnulls(display_name, accent_color, logo) > 0) OR (cardinality(frame_origins) > 0))),
  CONSTRAINT branding_display_name_check CHECK (((length(display_name) >= 1) AND (length(display_name) <= 100))),
  CONSTRAINT branding_frame_origins_check CHECK ((cardinality(frame_origins) <= 20)),
  CONSTRAINT branding_logo_check CHECK ((octet_length(logo) <= 65536)),
  CONSTRAINT branding_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id)
);
CREATE INDEX branding_logo ON branding USING btree (logo_sha256) WHERE (logo_sha256 IS NOT NULL);

CREATE TABLE chains (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  first_root text NOT NULL,
  platform_id text NOT NULL,
  approval_delay integer NOT NULL,
  CONSTRAINT chains_pkey PRIMARY KEY (id),
  CONSTRAINT chains_name_key UNIQUE (name),
  CONSTRAINT chains_platform UNIQUE (first_root, platform_id, approval_delay),
  CONSTRAINT chains_approval_delay_check CHECK (((approval_delay >= 0) AND (approval_delay <= 2592000))),
  CONSTRAINT chains_first_root_check CHECK ((first_root ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT chains_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT chains_platform_id_check CHECK ((platform_id ~ '^0x[0-9a-f]{64}$'::text))
);

CREATE TABLE checkout_options (
  checkout_id uuid NOT NULL,
  index smallint NOT NULL,
  network_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  currency_id uuid NOT NULL,
  decimals smallint NOT NULL,
  price_units numeric(78,0) NOT NULL,
  paid_price_units numeric(78,0) NOT NULL,
  payment_address text NOT NULL,
  CONSTRAINT checkout_options_pkey PRIMARY KEY (checkout_id, index),
  CONSTRAINT checkout_options_decimals_check CHECK (((decimals >= 0) AND (decimals <= 36))),
  CONSTRAINT checkout_options_index_check CHECK (((index >= 0) AND (index <= 19))),
  CONSTRAINT checkout_options_paid_price_units_check CHECK (((paid_price_units > (0)::numeric) AND (paid_price_units < ((2)::numeric ^ (128)::numeric)))),
  CONSTRAINT checkout_options_payment_address_check CHECK ((payment_address ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT checkout_options_price_units_check CHECK ((price_units > (0)::numeric)),
  CONSTRAINT checkout_options_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts(id),
  CONSTRAINT checkout_options_currency_id_fkey FOREIGN KEY (currency_id) REFERENCES currencies(id),
  CONSTRAINT checkout_options_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  CONSTRAINT checkout_options_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id)
);
CREATE INDEX checkout_options_wallet ON checkout_options USING btree (wallet_id, network_id);

CREATE TABLE checkouts (
  id uuid DEFAULT uuidv7() NOT NULL,
  node_id uuid NOT NULL,
  external_id text NOT NULL,
  payment_group text NOT NULL,
  payment_address text,
  metadata text,
  member_id uuid,
  success_url text,
  cancel_url text,
  locale text,
  on_chain_cancel boolean DEFAULT false NOT NULL,
  items jsonb DEFAULT '[]'::jsonb NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  expires_unix bigint NOT NULL,
  status text DEFAULT 'open'::text NOT NULL,
  sequence integer DEFAULT 1 NOT NULL,
  choices integer DEFAULT 0 NOT NULL,
  cancel_requested_at timestamp with time zone,
  terminal_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT checkouts_pkey PRIMARY KEY (id),
  CONSTRAINT checkouts_external_id UNIQUE (node_id, external_id),
  CONSTRAINT checkouts_check CHECK (((terminal_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'expired'::text, 'canceled'::text])))),
  CONSTRAINT checkouts_choices_check CHECK ((choices >= 0)),
  CONSTRAINT checkouts_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 255))),
  CONSTRAINT checkouts_items_check CHECK ((jsonb_typeof(items) = 'array'::text)),
  CONSTRAINT checkouts_payment_address_check CHECK ((payment_address ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT checkouts_payment_group_check CHECK ((payment_group = ANY (ARRAY['product'::text, 'listing_or_subscription'::text]))),
  CONSTRAINT checkouts_sequence_check CHECK ((sequence >= 1)),
  CONSTRAINT checkouts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'chosen'::text, 'completed'::text, 'expired'::text, 'canceled'::text]))),
  CONSTRAINT checkouts_member_id_node_id_fkey FOREIGN KEY (member_id, node_id) REFERENCES members(id, node_id),
  CONSTRAINT checkouts_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id)
) WITH (fillfactor=70);
CREATE INDEX checkouts_expiry ON checkouts USING btree (expires_unix) WHERE (status = ANY (ARRAY['open'::text, 'chosen'::text]));
CREATE INDEX checkouts_list ON checkouts USING btree (node_id, created_at DESC, id DESC);
CREATE INDEX checkouts_member ON checkouts USING btree (member_id) WHERE (member_id IS NOT NULL);
CREATE INDEX checkouts_status ON checkouts USING btree (node_id, status, created_at, id);

CREATE TABLE currencies (
  id uuid NOT NULL,
  symbol text NOT NULL,
  name text NOT NULL,
  decimals smallint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT currencies_pkey PRIMARY KEY (id),
  CONSTRAINT currencies_symbol_key UNIQUE (symbol),
  CONSTRAINT currencies_decimals_check CHECK (((decimals >= 0) AND (decimals <= 36))),
  CONSTRAINT currencies_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT currencies_symbol_check CHECK (((length(symbol) >= 1) AND (length(symbol) <= 32)))
);

CREATE TABLE currency_tokens (
  currency_id uuid NOT NULL,
  network_id uuid NOT NULL,
  address text,
  decimals smallint NOT NULL,
  permit_name text,
  permit_version text,
  CONSTRAINT currency_tokens_pkey PRIMARY KEY (currency_id, network_id),
  CONSTRAINT currency_tokens_network_id_address_key UNIQUE NULLS NOT DISTINCT (network_id, address),
  CONSTRAINT currency_tokens_address_check CHECK (((length(address) = 42) AND starts_with(address, '0x'::text) AND (translate(substr(address, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT currency_tokens_check CHECK (((permit_name IS NULL) = (permit_version IS NULL))),
  CONSTRAINT currency_tokens_check1 CHECK (((permit_name IS NULL) OR (address IS NOT NULL))),
  CONSTRAINT currency_tokens_decimals_check CHECK (((decimals >= 0) AND (decimals <= 36))),
  CONSTRAINT currency_tokens_permit_name_check CHECK ((length(permit_name) <= 255)),
  CONSTRAINT currency_tokens_permit_version_check CHECK ((length(permit_version) <= 32)),
  CONSTRAINT currency_tokens_currency_id_fkey FOREIGN KEY (currency_id) REFERENCES currencies(id),
  CONSTRAINT currency_tokens_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id)
);

CREATE TABLE deployment_steps (
  id uuid DEFAULT uuidv7() NOT NULL,
  deployment_id uuid NOT NULL,
  seq integer NOT NULL,
  key text NOT NULL,
  status text DEFAULT 'pending'::text NOT NULL,
  generation integer DEFAULT 1 NOT NULL,
  error_code text,
  error_message text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT deployment_steps_pkey PRIMARY KEY (id),
  CONSTRAINT deployment_steps_deployment_id_key_key UNIQUE (deployment_id, key),
  CONSTRAINT deployment_steps_deployment_id_seq_key UNIQUE (deployment_id, seq),
  CONSTRAINT deployment_steps_key_check CHECK ((key = ANY (ARRAY['preflight'::text, 'deploy_facets'::text, 'deploy_diamond'::text, 'cut'::text, 'verify'::text, 'activate'::text]))),
  CONSTRAINT deployment_steps_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'started'::text, 'completed'::text, 'failed'::text]))),
  CONSTRAINT deployment_steps_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployments(id)
);

CREATE TABLE deployments (
  id uuid DEFAULT uuidv7() NOT NULL,
  wallet_id uuid NOT NULL,
  network_id uuid NOT NULL,
  kind text NOT NULL,
  status text DEFAULT 'started'::text NOT NULL,
  requested_by uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  status_detail text,
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  CONSTRAINT deployments_pkey PRIMARY KEY (id),
  CONSTRAINT deployments_kind_check CHECK ((kind = ANY (ARRAY['deploy'::text, 'update'::text]))),
  CONSTRAINT deployments_status_check CHECK ((status = ANY (ARRAY['started'::text, 'completed'::text, 'failed'::text]))),
  CONSTRAINT deployments_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  CONSTRAINT deployments_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES integrations(id),
  CONSTRAINT deployments_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id)
);
CREATE INDEX deployments_list ON deployments USING btree (wallet_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX deployments_once ON deployments USING btree (wallet_id, network_id) WHERE (kind = 'deploy'::text);
CREATE INDEX deployments_under_way ON deployments USING btree (wallet_id) WHERE (status = 'started'::text);
CREATE UNIQUE INDEX deployments_unfinished ON deployments USING btree (wallet_id, network_id) WHERE (status <> 'completed'::text);

CREATE TABLE diamonds (
  id uuid DEFAULT uuidv7() NOT NULL,
  wallet_id uuid NOT NULL,
  network_id uuid NOT NULL,
  address text NOT NULL,
  operator_account_id uuid NOT NULL,
  status text DEFAULT 'deploying'::text NOT NULL,
  release text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  updating boolean DEFAULT false NOT NULL,
  CONSTRAINT diamonds_pkey PRIMARY KEY (id),
  CONSTRAINT diamonds_network_id_address_key UNIQUE (network_id, address),
  CONSTRAINT diamonds_wallet_id_network_id_key UNIQUE (wallet_id, network_id),
  CONSTRAINT diamonds_address_check CHECK (((length(address) = 42) AND starts_with(address, '0x'::text) AND (translate(substr(address, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT diamonds_status_check CHECK ((status = ANY (ARRAY['deploying'::text, 'active'::text]))),
  CONSTRAINT diamonds_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  CONSTRAINT diamonds_operator_account_id_fkey FOREIGN KEY (operator_account_id) REFERENCES signer_accounts(id),
  CONSTRAINT diamonds_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id)
);
CREATE INDEX diamonds_address ON diamonds USING btree (address);
CREATE INDEX diamonds_updating ON diamonds USING btree (network_id, address) WHERE updating;

CREATE TABLE floor (
  is_only boolean DEFAULT true NOT NULL,
  level integer DEFAULT 1 NOT NULL,
  lowest integer DEFAULT 1 NOT NULL,
  CONSTRAINT floor_pkey PRIMARY KEY (is_only),
  CONSTRAINT floor_is_only_check CHECK (is_only),
  CONSTRAINT floor_level_check CHECK ((level >= 1))
);

CREATE TABLE idempotency_keys (
  actor_id text NOT NULL,
  target text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status smallint NOT NULL,
  encrypted_answer bytea CONSTRAINT idempotency_keys_sealed_answer_not_null NOT NULL,
  payment_id uuid,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT idempotency_keys_once PRIMARY KEY (actor_id, target, key),
  CONSTRAINT idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  CONSTRAINT idempotency_keys_request_hash_check CHECK ((length(request_hash) = 32)),
  CONSTRAINT idempotency_keys_status_check CHECK (((status >= 200) AND (status <= 299)))
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING btree (created_at);

CREATE TABLE integrations (
  id uuid DEFAULT uuidv7() NOT NULL,
  node_id uuid NOT NULL,
  name text NOT NULL,
  api_key text NOT NULL,
  secret_hash bytea NOT NULL,
  permissions text[] NOT NULL,
  expires_at timestamp with time zone,
  created_by uuid,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  previous_secret_hash bytea,
  previous_secret_until timestamp with time zone,
  CONSTRAINT integrations_pkey PRIMARY KEY (id),
  CONSTRAINT integrations_api_key_key UNIQUE (api_key),
  CONSTRAINT integrations_check CHECK (((previous_secret_hash IS NULL) = (previous_secret_until IS NULL))),
  CONSTRAINT integrations_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT integrations_previous_secret_hash_check CHECK ((length(previous_secret_hash) = 32)),
  CONSTRAINT integrations_secret_hash_check CHECK ((length(secret_hash) = 32)),
  CONSTRAINT integrations_created_by_fkey FOREIGN KEY (created_by) REFERENCES integrations(id),
  CONSTRAINT integrations_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id)
);
CREATE INDEX integrations_list ON integrations USING btree (node_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX integrations_name ON integrations USING btree (node_id, name) WHERE (revoked_at IS NULL);

CREATE TABLE key_holders (
  worker_id uuid NOT NULL,
  address text NOT NULL,
  seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT key_holders_pkey PRIMARY KEY (worker_id, address),
  CONSTRAINT key_holders_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text))
);
CREATE INDEX key_holders_address ON key_holders USING btree (address);

CREATE TABLE members (
  id uuid DEFAULT uuidv7() NOT NULL,
  node_id uuid NOT NULL,
  external_id text NOT NULL,
  name text NOT NULL,
  surname text,
  email text,
  phone text,
  identity_number text,
  tax_office text,
  tax_number text,
  address text,
  district text,
  city text,
  country text,
  contact_name text,
  locale text,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT members_pkey PRIMARY KEY (id),
  CONSTRAINT members_id_node_id_key UNIQUE (id, node_id),
  CONSTRAINT members_city_check CHECK ((length(city) <= 255)),
  CONSTRAINT members_contact_name_check CHECK ((length(contact_name) <= 255)),
  CONSTRAINT members_country_check CHECK ((length(country) <= 10)),
  CONSTRAINT members_district_check CHECK ((length(district) <= 255)),
  CONSTRAINT members_email_check CHECK ((length(email) <= 255)),
  CONSTRAINT members_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 255))),
  CONSTRAINT members_identity_number_check CHECK ((length(identity_number) <= 50)),
  CONSTRAINT members_locale_check CHECK ((length(locale) <= 10)),
  CONSTRAINT members_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT members_phone_check CHECK ((length(phone) <= 50)),
  CONSTRAINT members_surname_check CHECK ((length(surname) <= 255)),
  CONSTRAINT members_tax_number_check CHECK ((length(tax_number) <= 50)),
  CONSTRAINT members_tax_office_check CHECK ((length(tax_office) <= 255)),
  CONSTRAINT members_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id)
);
CREATE UNIQUE INDEX members_external_id ON members USING btree (node_id, external_id) WHERE (deleted_at IS NULL);
CREATE INDEX members_list ON members USING btree (node_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE TABLE network_looks (
  network_id uuid NOT NULL,
  number bigint,
  looked_at timestamp with time zone NOT NULL,
  risen_at timestamp with time zone NOT NULL,
  CONSTRAINT network_looks_pkey PRIMARY KEY (network_id),
  CONSTRAINT network_looks_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id)
) WITH (fillfactor=50);

CREATE TABLE networks (
  id uuid NOT NULL,
  chain_id uuid NOT NULL,
  name text NOT NULL,
  eip155 bigint NOT NULL,
  rpc_urls text[] NOT NULL,
  quorum integer DEFAULT 1 NOT NULL,
  confirmations integer NOT NULL,
  finality integer NOT NULL,
  block_time_ms integer NOT NULL,
  explorer_url text,
  max_fee_per_gas numeric(78,0) NOT NULL,
  genesis_hash text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  root text NOT NULL,
  guardian text NOT NULL,
  retired_at timestamp with time zone,
  rested_at timestamp with time zone,
  native_symbol text DEFAULT 'ETH'::text NOT NULL,
  public_rpc_urls text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT networks_pkey PRIMARY KEY (id),
  CONSTRAINT networks_eip155_key UNIQUE (eip155),
  CONSTRAINT networks_id_chain_id_key UNIQUE (id, chain_id),
  CONSTRAINT networks_name_key UNIQUE (name),
  CONSTRAINT networks_block_time_ms_check CHECK (((block_time_ms >= 50) AND (block_time_ms <= 3600000))),
  CONSTRAINT networks_check CHECK (((quorum >= 1) AND (quorum <= cardinality(rpc_urls)))),
  CONSTRAINT networks_check1 CHECK ((finality > confirmations)),
  CONSTRAINT networks_check2 CHECK (((rested_at IS NULL) OR (retired_at IS NOT NULL))),
  CONSTRAINT networks_confirmations_check CHECK (((confirmations >= 1) AND (confirmations <= 10000))),
  CONSTRAINT networks_eip155_check CHECK ((eip155 > 0)),
  CONSTRAINT networks_genesis_hash_check CHECK (((length(genesis_hash) = 66) AND starts_with(genesis_hash, '0x'::text) AND (translate(substr(genesis_hash, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT networks_guardian_check CHECK ((guardian ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT networks_max_fee_per_gas_check CHECK ((max_fee_per_gas > (0)::numeric)),
  CONSTRAINT networks_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT networks_native_symbol_check CHECK (((length(native_symbol) >= 1) AND (length(native_symbol) <= 32))),
  CONSTRAINT networks_public_rpc_urls_check CHECK ((cardinality(public_rpc_urls) <= 16)),
  CONSTRAINT networks_root_check CHECK ((root ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT networks_rpc_urls_check CHECK (((cardinality(rpc_urls) >= 1) AND (cardinality(rpc_urls) <= 16))),
  CONSTRAINT networks_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(id)
);

CREATE TABLE node_network_wallet_defaults (
  id uuid DEFAULT uuidv7() NOT NULL,
  node_id uuid NOT NULL,
  network_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  type text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT node_network_wallet_defaults_pkey PRIMARY KEY (id),
  CONSTRAINT node_network_wallet_defaults_node_id_network_id_type_key UNIQUE (node_id, network_id, type),
  CONSTRAINT node_network_wallet_defaults_type_check CHECK ((type = ANY (ARRAY['apex'::text, 'node'::text]))),
  CONSTRAINT node_network_wallet_defaults_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  CONSTRAINT node_network_wallet_defaults_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id),
  CONSTRAINT node_network_wallet_defaults_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id)
);
CREATE INDEX defaults_wallet ON node_network_wallet_defaults USING btree (wallet_id);

CREATE TABLE nodes (
  id uuid NOT NULL,
  parent_id uuid,
  name text NOT NULL,
  path uuid[] NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT nodes_pkey PRIMARY KEY (id),
  CONSTRAINT nodes_check CHECK ((path[cardinality(path)] = id)),
  CONSTRAINT nodes_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT nodes_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES nodes(id)
);
CREATE INDEX nodes_path ON nodes USING gin (path);
CREATE TRIGGER node_path BEFORE INSERT OR UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION node_path();

CREATE TABLE offer_ends (
  payment_id uuid NOT NULL,
  network_id uuid NOT NULL,
  wanted_until bigint NOT NULL,
  signed_until bigint DEFAULT 0 NOT NULL,
  revealed_until bigint,
  CONSTRAINT offer_ends_pkey PRIMARY KEY (payment_id),
  CONSTRAINT offer_ends_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  CONSTRAINT offer_ends_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
) WITH (fillfactor=70);
CREATE INDEX offer_ends_unsigned ON offer_ends USING btree (network_id, payment_id) WHERE (signed_until < wanted_until);

CREATE TABLE offer_looks (
  network_id uuid NOT NULL,
  is_paused boolean,
  looked_at timestamp with time zone,
  CONSTRAINT offer_looks_pkey PRIMARY KEY (network_id),
  CONSTRAINT offer_looks_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id)
) WITH (fillfactor=50);

CREATE TABLE offer_windows (
  is_only boolean DEFAULT true NOT NULL,
  seconds integer DEFAULT 900 NOT NULL,
  longest integer DEFAULT 900 NOT NULL,
  database text,
  CONSTRAINT offer_windows_pkey PRIMARY KEY (is_only),
  CONSTRAINT offer_windows_is_only_check CHECK (is_only),
  CONSTRAINT offer_windows_seconds_check CHECK ((((seconds >= 2) AND (seconds <= 86400)) AND ((seconds % 2) = 0)))
);

CREATE TABLE offers (
  payment_id uuid NOT NULL,
  valid_until bigint NOT NULL,
  account_id uuid NOT NULL,
  encrypted bytea NOT NULL,
  CONSTRAINT offers_pkey PRIMARY KEY (payment_id, valid_until),
  CONSTRAINT offers_account_id_fkey FOREIGN KEY (account_id) REFERENCES signer_accounts(id),
  CONSTRAINT offers_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);
CREATE INDEX offers_of_account ON offers USING btree (account_id);
CREATE INDEX offers_over ON offers USING btree (valid_until);
CREATE TRIGGER offers_of_payable BEFORE INSERT OR UPDATE ON offers FOR EACH ROW EXECUTE FUNCTION refuse_blocked_deals();

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  topic text NOT NULL,
  group_key text NOT NULL,
  workflow_id text,
  payment_id uuid,
  payload jsonb NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  delivered_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  is_renewed boolean DEFAULT false NOT NULL,
  CONSTRAINT outbox_pkey PRIMARY KEY (id),
  CONSTRAINT outbox_topic_check CHECK ((topic = ANY (ARRAY['create_payment'::text, 'payment_signal'::text, 'command'::text, 'webhook_command'::text])))
);
CREATE INDEX outbox_due ON outbox USING btree (topic, group_key, id) WHERE (delivered_at IS NULL);
CREATE INDEX outbox_payment ON outbox USING btree (payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX outbox_signals ON outbox USING btree (id) WHERE ((delivered_at IS NULL) AND (topic = 'payment_signal'::text));
CREATE UNIQUE INDEX outbox_webhook_command ON outbox USING btree (workflow_id) WHERE ((topic = 'webhook_command'::text) AND (delivered_at IS NULL));
CREATE INDEX outbox_workflow ON outbox USING btree (workflow_id) WHERE ((delivered_at IS NULL) AND (workflow_id IS NOT NULL));

CREATE TABLE payment_followers (
  payment_id uuid NOT NULL,
  workflow_id text NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT payment_followers_pkey PRIMARY KEY (payment_id, workflow_id),
  CONSTRAINT payment_followers_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);

CREATE TABLE payment_items (
  id uuid DEFAULT uuidv7() NOT NULL,
  payment_id uuid NOT NULL,
  position integer NOT NULL,
  name text NOT NULL,
  price_units numeric(78,0) NOT NULL,
  external_id text,
  CONSTRAINT payment_items_pkey PRIMARY KEY (id),
  CONSTRAINT payment_items_payment_id_position_key UNIQUE (payment_id, "position"),
  CONSTRAINT payment_items_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 255))),
  CONSTRAINT payment_items_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT payment_items_price_units_check CHECK ((price_units >= (0)::numeric)),
  CONSTRAINT payment_items_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);

CREATE TABLE payment_logs (
  id uuid DEFAULT uuidv7() NOT NULL,
  payment_id uuid NOT NULL,
  sequence integer NOT NULL,
  event_type text NOT NULL,
  status text NOT NULL,
  message text NOT NULL,
  actor_type text NOT NULL,
  actor_id text,
  data jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT payment_logs_pkey PRIMARY KEY (id),
  CONSTRAINT payment_logs_payment_id_sequence_key UNIQUE (payment_id, sequence),
  CONSTRAINT payment_logs_actor_type_check CHECK ((actor_type = ANY (ARRAY['integration'::text, 'buyer'::text, 'chain'::text, 'system'::text, 'operator'::text]))),
  CONSTRAINT payment_logs_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);

CREATE TABLE payment_waits (
  id uuid DEFAULT uuidv7() NOT NULL,
  payment_id uuid NOT NULL,
  event_type text NOT NULL,
  reason text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT payment_waits_pkey PRIMARY KEY (id),
  CONSTRAINT payment_waits_event_type_check CHECK ((event_type = ANY (ARRAY['waiting_started'::text, 'waiting_ended'::text]))),
  CONSTRAINT payment_waits_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);
CREATE INDEX payment_waits_payment ON payment_waits USING btree (payment_id);

CREATE TABLE payments (
  id uuid DEFAULT uuidv7() NOT NULL,
  node_id uuid NOT NULL,
  external_id text NOT NULL,
  chain_id uuid NOT NULL,
  network_id uuid NOT NULL,
  wallet_id uuid,
  member_id uuid,
  currency_id uuid NOT NULL,
  decimals smallint NOT NULL,
  price_units numeric(78,0) NOT NULL,
  paid_price_units numeric(78,0) NOT NULL,
  payment_method text NOT NULL,
  payment_group text NOT NULL,
  payment_address text NOT NULL,
  metadata text,
  client_ip text,
  retry boolean DEFAULT true NOT NULL,
  retry_count integer DEFAULT 3 NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  expires_unix bigint NOT NULL,
  status text DEFAULT 'pending'::text NOT NULL,
  status_detail text,
  sequence integer DEFAULT 1 NOT NULL,
  workflow_id text,
  deal_id bigint,
  diamond_address text,
  token_address text,
  terms_hash text,
  create_generation integer DEFAULT 1 NOT NULL,
  retries_used integer DEFAULT 0 NOT NULL,
  cancel_requested_at timestamp with time zone,
  deal_tx_hash text,
  deal_block_number bigint,
  deal_block_hash text,
  paid_tx_hash text,
  paid_block_number bigint,
  paid_block_hash text,
  payer_address text,
  cancel_tx_hash text,
  cancel_block_number bigint,
  cancel_block_hash text,
  conflict_tx_hash text,
  conflict_block_number bigint,
  conflict_block_hash text,
  terminal_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  reversed_at timestamp with time zone,
  paid_at timestamp with time zone,
  deal_mode text DEFAULT 'created'::text NOT NULL,
  cancel_on_chain boolean DEFAULT false NOT NULL,
  success_url text,
  cancel_url text,
  locale text,
  checkout_id uuid,
  choice smallint,
  option_index smallint,
  is_blocked boolean DEFAULT false NOT NULL,
  CONSTRAINT payments_pkey PRIMARY KEY (id),
  CONSTRAINT payments_deal UNIQUE (network_id, diamond_address, deal_id),
  CONSTRAINT payments_external_id UNIQUE (node_id, external_id),
  CONSTRAINT payments_cancel_url CHECK ((length(cancel_url) <= 2048)) NOT VALID,
  CONSTRAINT payments_check CHECK (((payment_method = 'web3'::text) = ((wallet_id IS NOT NULL) AND (deal_id IS NOT NULL) AND (diamond_address IS NOT NULL) AND (terms_hash IS NOT NULL)))),
  CONSTRAINT payments_check1 CHECK (((payment_method <> 'web3'::text) OR ((length(payment_address) = 42) AND starts_with(payment_address, '0x'::text) AND (translate(substr(payment_address, 3), '0123456789abcdef'::text, ''::text) = ''::text)))),
  CONSTRAINT payments_check2 CHECK (((deal_tx_hash IS NULL) OR (deal_block_number IS NOT NULL))),
  CONSTRAINT payments_check3 CHECK (((paid_tx_hash IS NULL) OR (paid_block_number IS NOT NULL))),
  CONSTRAINT payments_check4 CHECK (((terminal_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'expired'::text, 'canceled'::text, 'failed'::text])))),
  CONSTRAINT payments_choice CHECK ((((checkout_id IS NULL) = (choice IS NULL)) AND ((checkout_id IS NULL) = (option_index IS NULL)) AND ((checkout_id IS NOT NULL) OR (NOT is_blocked)))),
  CONSTRAINT payments_deal_id_check CHECK (((deal_id >= 1) AND (deal_id <= '9007199254740991'::bigint))),
  CONSTRAINT payments_deal_mode_check CHECK ((deal_mode = ANY (ARRAY['created'::text, 'offered'::text]))),
  CONSTRAINT payments_decimals_check CHECK (((decimals >= 0) AND (decimals <= 36))),
  CONSTRAINT payments_diamond_address_check CHECK (((length(diamond_address) = 42) AND starts_with(diamond_address, '0x'::text) AND (translate(substr(diamond_address, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT payments_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 255))),
  CONSTRAINT payments_locale CHECK ((length(locale) <= 35)) NOT VALID,
  CONSTRAINT payments_offered CHECK (((deal_mode = 'created'::text) OR (payment_method = 'web3'::text))),
  CONSTRAINT payments_paid_price_units_check CHECK (((paid_price_units > (0)::numeric) AND (paid_price_units < ((2)::numeric ^ (128)::numeric)))),
  CONSTRAINT payments_payment_address_check CHECK ((length(payment_address) >= 10)),
  CONSTRAINT payments_payment_group_check CHECK ((payment_group = ANY (ARRAY['product'::text, 'listing_or_subscription'::text]))),
  CONSTRAINT payments_payment_method_check CHECK ((payment_method = ANY (ARRAY['web3'::text, 'credit_card'::text, 'bank_transfer'::text]))),
  CONSTRAINT payments_price_units_check CHECK ((price_units > (0)::numeric)),
  CONSTRAINT payments_retry_count_check CHECK (((retry_count >= 0) AND (retry_count <= 10))),
  CONSTRAINT payments_sequence_check CHECK ((sequence >= 1)),
  CONSTRAINT payments_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'awaiting_payment'::text, 'processing'::text, 'completed'::text, 'expired'::text, 'canceling'::text, 'canceled'::text, 'failed'::text]))),
  CONSTRAINT payments_success_url CHECK ((length(success_url) <= 2048)) NOT VALID,
  CONSTRAINT payments_terms_hash_check CHECK (((length(terms_hash) = 66) AND starts_with(terms_hash, '0x'::text) AND (translate(substr(terms_hash, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT payments_token_address_check CHECK (((length(token_address) = 42) AND starts_with(token_address, '0x'::text) AND (translate(substr(token_address, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT payments_checkout_id_fkey FOREIGN KEY (checkout_id) REFERENCES checkouts(id),
  CONSTRAINT payments_currency_id_fkey FOREIGN KEY (currency_id) REFERENCES currencies(id),
  CONSTRAINT payments_member_id_node_id_fkey FOREIGN KEY (member_id, node_id) REFERENCES members(id, node_id),
  CONSTRAINT payments_network_id_chain_id_fkey FOREIGN KEY (network_id, chain_id) REFERENCES networks(id, chain_id),
  CONSTRAINT payments_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id),
  CONSTRAINT payments_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id)
) WITH (fillfactor=60);
CREATE INDEX payments_cancel_block ON payments USING btree (network_id, cancel_block_number) WHERE ((terminal_at IS NULL) AND (cancel_block_number IS NOT NULL));
CREATE INDEX payments_canceling_offers ON payments USING btree (network_id) WHERE ((deal_mode = 'offered'::text) AND (status = 'canceling'::text));
CREATE UNIQUE INDEX payments_choices ON payments USING btree (checkout_id, choice) WHERE (checkout_id IS NOT NULL);
CREATE INDEX payments_completed ON payments USING btree (node_id, terminal_at, created_at) WHERE (status = 'completed'::text);
CREATE INDEX payments_completed_block ON payments USING btree (network_id, paid_block_number) WHERE (status = 'completed'::text);
CREATE INDEX payments_conflict_block ON payments USING btree (network_id, conflict_block_number) WHERE ((terminal_at IS NULL) AND (conflict_block_number IS NOT NULL));
CREATE INDEX payments_deal_block ON payments USING btree (network_id, deal_block_number) WHERE ((terminal_at IS NULL) AND (deal_block_number IS NOT NULL));
CREATE INDEX payments_deal_tx ON payments USING btree (deal_tx_hash) WHERE (deal_tx_hash IS NOT NULL);
CREATE INDEX payments_ended_unpaid ON payments USING btree (network_id, expires_unix) WHERE ((payment_method = 'web3'::text) AND (status = ANY (ARRAY['expired'::text, 'canceled'::text, 'failed'::text])));
CREATE INDEX payments_list ON payments USING btree (node_id, created_at DESC, id DESC);
CREATE INDEX payments_lost_deal ON payments USING btree (network_id) WHERE ((status = 'awaiting_payment'::text) AND (deal_block_number IS NULL));
CREATE INDEX payments_member ON payments USING btree (member_id) WHERE (member_id IS NOT NULL);
CREATE INDEX payments_offchain_expiry ON payments USING btree (expires_unix) WHERE ((status = 'pending'::text) AND (payment_method <> 'web3'::text));
CREATE INDEX payments_offers_open ON payments USING btree (network_id) WHERE ((deal_mode = 'offered'::text) AND (status = ANY (ARRAY['pending'::text, 'awaiting_payment'::text, 'processing'::text, 'canceling'::text])));
CREATE INDEX payments_offers_waiting ON payments USING btree (network_id) WHERE ((deal_mode = 'offered'::text) AND (status_detail IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'awaiting_payment'::text])));
CREATE UNIQUE INDEX payments_one_payable ON payments USING btree (checkout_id) WHERE ((checkout_id IS NOT NULL) AND (NOT is_blocked) AND (terminal_at IS NULL));
CREATE INDEX payments_open ON payments USING btree (node_id, created_at, id) WHERE (status = ANY (ARRAY['pending'::text, 'awaiting_payment'::text, 'processing'::text, 'canceling'::text]));
CREATE INDEX payments_open_expiry ON payments USING btree (network_id, expires_unix) WHERE ((status = ANY (ARRAY['pending'::text, 'awaiting_payment'::text, 'canceling'::text])) AND (payment_method = 'web3'::text));
CREATE INDEX payments_paid_after_end ON payments USING btree (network_id, paid_block_number) WHERE ((status = ANY (ARRAY['expired'::text, 'canceled'::text, 'failed'::text])) AND (paid_block_number IS NOT NULL));
CREATE INDEX payments_paid_block ON payments USING btree (network_id, paid_block_number) WHERE ((terminal_at IS NULL) AND (paid_block_number IS NOT NULL));
CREATE INDEX payments_paid_tx ON payments USING btree (paid_tx_hash) WHERE (paid_tx_hash IS NOT NULL);
CREATE INDEX payments_pending_deal ON payments USING btree (network_id, deal_block_number) WHERE ((status = 'pending'::text) AND (deal_block_number IS NOT NULL));
CREATE INDEX payments_processing ON payments USING btree (network_id, paid_block_number) WHERE (status = 'processing'::text);
CREATE INDEX payments_reversed ON payments USING btree (network_id) WHERE (reversed_at IS NOT NULL);
CREATE INDEX payments_unpaid ON payments USING btree (node_id, status, created_at, id) WHERE (status = ANY (ARRAY['expired'::text, 'canceled'::text, 'failed'::text]));
CREATE INDEX payments_unread_words ON payments USING btree (network_id) WHERE (status_detail = 'words_unreadable'::text);
CREATE INDEX payments_updated ON payments USING btree (node_id, updated_at);
CREATE INDEX payments_wallet ON payments USING btree (wallet_id) WHERE (wallet_id IS NOT NULL);
CREATE TRIGGER payment_waits_at_first AFTER INSERT ON payments FOR EACH ROW WHEN ((new.status_detail IS NOT NULL)) EXECUTE FUNCTION payment_waits();
CREATE TRIGGER payment_waits_changed AFTER UPDATE ON payments FOR EACH ROW WHEN ((old.status_detail IS DISTINCT FROM new.status_detail)) EXECUTE FUNCTION payment_waits();
CREATE TRIGGER payments_keep_choice BEFORE UPDATE OF checkout_id, choice, option_index, is_blocked ON payments FOR EACH ROW WHEN (((((old.checkout_id IS DISTINCT FROM new.checkout_id) OR (old.choice IS DISTINCT FROM new.choice)) OR (old.option_index IS DISTINCT FROM new.option_index)) OR (new.is_blocked AND (NOT old.is_blocked)))) EXECUTE FUNCTION keep_blocked();
CREATE TRIGGER payments_keep_terms BEFORE UPDATE OF network_id, diamond_address, deal_id, token_address, payment_address, paid_price_units, expires_unix, terms_hash, deal_mode ON payments FOR EACH ROW WHEN (((('offered'::text = old.deal_mode) OR ('offered'::text = new.deal_mode)) AND (((((((((old.network_id IS DISTINCT FROM new.network_id) OR (old.diamond_address IS DISTINCT FROM new.diamond_address)) OR (old.deal_id IS DISTINCT FROM new.deal_id)) OR (old.token_address IS DISTINCT FROM new.token_address)) OR (old.payment_address IS DISTINCT FROM new.payment_address)) OR (old.paid_price_units IS DISTINCT FROM new.paid_price_units)) OR (old.expires_unix IS DISTINCT FROM new.expires_unix)) OR (old.terms_hash IS DISTINCT FROM new.terms_hash)) OR (old.deal_mode IS DISTINCT FROM new.deal_mode)))) EXECUTE FUNCTION keep_terms();
CREATE TRIGGER payments_payout_lock AFTER INSERT ON payments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION payments_obey_payout_locks();
CREATE TRIGGER payments_tell_pages AFTER UPDATE ON payments FOR EACH ROW WHEN (((old.sequence = new.sequence) AND ((old.status_detail IS DISTINCT FROM new.status_detail) OR ((new.status = 'awaiting_payment'::text) AND ((old.deal_block_number IS NULL) <> (new.deal_block_number IS NULL)))))) EXECUTE FUNCTION tell_pages();

CREATE TABLE payouts (
  node_id uuid NOT NULL,
  chain_id uuid NOT NULL,
  address text,
  locked boolean NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT payouts_pkey PRIMARY KEY (node_id, chain_id),
  CONSTRAINT payouts_address_check CHECK ((address ~ '^0x[0-9a-f]{40}$'::text)),
  CONSTRAINT payouts_check CHECK (((address IS NOT NULL) OR (NOT locked))),
  CONSTRAINT payouts_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(id),
  CONSTRAINT payouts_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id)
);

CREATE TABLE processes (
  id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  beat_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  temporal_at timestamp with time zone,
  stopped_at timestamp with time zone,
  level integer,
  CONSTRAINT processes_pkey PRIMARY KEY (id),
  CONSTRAINT processes_kind_check CHECK ((kind = ANY (ARRAY['api'::text, 'worker'::text])))
) WITH (fillfactor=50);

CREATE UNLOGGED TABLE rate_limits (
  key text NOT NULL,
  full_at timestamp with time zone NOT NULL,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
) WITH (fillfactor=50);

CREATE TABLE restored_lanes (
  restore_id uuid NOT NULL,
  account_id uuid NOT NULL,
  nonce bigint NOT NULL,
  from_block bigint NOT NULL,
  outcome text,
  ended_at timestamp with time zone,
  CONSTRAINT restored_lanes_pkey PRIMARY KEY (restore_id, account_id),
  CONSTRAINT restored_lanes_outcome_check CHECK ((outcome = ANY (ARRAY['unneeded'::text, 'resumed'::text, 'paused'::text, 'superseded'::text]))),
  CONSTRAINT restored_lanes_account_id_fkey FOREIGN KEY (account_id) REFERENCES signer_accounts(id),
  CONSTRAINT restored_lanes_restore_id_fkey FOREIGN KEY (restore_id) REFERENCES restores(id)
);
CREATE UNIQUE INDEX restored_lanes_open ON restored_lanes USING btree (account_id) WHERE (outcome IS NULL);

CREATE TABLE restores (
  id uuid DEFAULT uuidv7() NOT NULL,
  backup_id uuid,
  state_of timestamp with time zone,
  marked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  counted_at timestamp with time zone,
  CONSTRAINT restores_pkey PRIMARY KEY (id)
);

CREATE TABLE retention (
  kind text NOT NULL,
  after uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
  CONSTRAINT retention_pkey PRIMARY KEY (kind)
);

CREATE TABLE signer_accounts (
  id uuid DEFAULT uuidv7() NOT NULL,
  network_id uuid NOT NULL,
  address text NOT NULL,
  role text NOT NULL,
  next_nonce bigint DEFAULT 0 NOT NULL,
  max_inflight integer DEFAULT 16 NOT NULL,
  status text DEFAULT 'active'::text NOT NULL,
  status_detail text,
  fence bigint DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  dismissed_at timestamp with time zone,
  role_read_at timestamp with time zone,
  limits jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT signer_accounts_pkey PRIMARY KEY (id),
  CONSTRAINT signer_accounts_network_id_address_key UNIQUE (network_id, address),
  CONSTRAINT signer_accounts_address_check CHECK (((length(address) = 42) AND starts_with(address, '0x'::text) AND (translate(substr(address, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT signer_accounts_max_inflight_check CHECK (((max_inflight >= 1) AND (max_inflight <= 1000))),
  CONSTRAINT signer_accounts_next_nonce_check CHECK ((next_nonce >= 0)),
  CONSTRAINT signer_accounts_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'upgrader'::text, 'signer'::text]))),
  CONSTRAINT signer_accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text]))),
  CONSTRAINT signer_accounts_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id)
);

CREATE TABLE stray_tokens (
  network_id uuid NOT NULL,
  token text NOT NULL,
  diamond text NOT NULL,
  units numeric(78,0) NOT NULL,
  seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT stray_tokens_pkey PRIMARY KEY (network_id, token, diamond),
  CONSTRAINT stray_tokens_units_check CHECK ((units > (0)::numeric)),
  CONSTRAINT stray_tokens_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id)
);

CREATE TABLE token_keys (
  kid text NOT NULL,
  purpose text NOT NULL,
  public_jwk jsonb,
  encrypted_secret bytea CONSTRAINT token_keys_sealed_secret_not_null NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  retired_at timestamp with time zone,
  signs_from timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT token_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT token_keys_check CHECK (((purpose = 'access'::text) = (public_jwk IS NOT NULL))),
  CONSTRAINT token_keys_purpose_check CHECK ((purpose = ANY (ARRAY['access'::text, 'widget'::text])))
);

CREATE TABLE tx_attempts (
  id uuid DEFAULT uuidv7() NOT NULL,
  slot_id uuid NOT NULL,
  seq integer NOT NULL,
  tx_hash text NOT NULL,
  raw bytea NOT NULL,
  max_fee_per_gas numeric(78,0) NOT NULL,
  max_priority_fee_per_gas numeric(78,0) NOT NULL,
  sends integer DEFAULT 0 NOT NULL,
  last_sent_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT tx_attempts_pkey PRIMARY KEY (id),
  CONSTRAINT tx_attempts_slot_id_seq_key UNIQUE (slot_id, seq),
  CONSTRAINT tx_attempts_tx_hash_key UNIQUE (tx_hash),
  CONSTRAINT tx_attempts_tx_hash_check CHECK (((length(tx_hash) = 66) AND starts_with(tx_hash, '0x'::text) AND (translate(substr(tx_hash, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT tx_attempts_slot_id_fkey FOREIGN KEY (slot_id) REFERENCES tx_slots(id)
);

CREATE TABLE tx_intents (
  id uuid DEFAULT uuidv7() NOT NULL,
  idempotency_key text NOT NULL,
  account_id uuid NOT NULL,
  purpose text NOT NULL,
  payment_id uuid,
  step_id uuid,
  to_address text,
  data bytea,
  state text DEFAULT 'queued'::text NOT NULL,
  outcome text,
  slot_id uuid,
  waiting text,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  assigned_at timestamp with time zone,
  settled_at timestamp with time zone,
  CONSTRAINT tx_intents_pkey PRIMARY KEY (id),
  CONSTRAINT tx_intents_idempotency_key_key UNIQUE (idempotency_key),
  CONSTRAINT tx_intents_check CHECK (((state <> 'assigned'::text) OR (slot_id IS NOT NULL))),
  CONSTRAINT tx_intents_check1 CHECK (((state <> ALL (ARRAY['queued'::text, 'withdrawn'::text])) OR (slot_id IS NULL))),
  CONSTRAINT tx_intents_check2 CHECK (((state = 'settled'::text) = (outcome IS NOT NULL))),
  CONSTRAINT tx_intents_check3 CHECK (((purpose = ANY (ARRAY['create_deal'::text, 'cancel_deal'::text])) = (payment_id IS NOT NULL))),
  CONSTRAINT tx_intents_check4 CHECK (((purpose = ANY (ARRAY['create_deal'::text, 'cancel_deal'::text])) = (step_id IS NULL))),
  CONSTRAINT tx_intents_check5 CHECK (((step_id IS NOT NULL) = ((to_address IS NOT NULL) AND (data IS NOT NULL)))),
  CONSTRAINT tx_intents_outcome_check CHECK ((outcome = ANY (ARRAY['effective'::text, 'no_effect'::text, 'conflict'::text]))),
  CONSTRAINT tx_intents_purpose_check CHECK ((purpose = ANY (ARRAY['create_deal'::text, 'cancel_deal'::text, 'deploy_facet'::text, 'create_diamond'::text, 'diamond_cut'::text]))),
  CONSTRAINT tx_intents_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'assigned'::text, 'settled'::text, 'withdrawn'::text]))),
  CONSTRAINT tx_intents_to_address_check CHECK (((length(to_address) = 42) AND starts_with(to_address, '0x'::text) AND (translate(substr(to_address, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT tx_intents_account_id_fkey FOREIGN KEY (account_id) REFERENCES signer_accounts(id),
  CONSTRAINT tx_intents_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  CONSTRAINT tx_intents_slot_id_fkey FOREIGN KEY (slot_id) REFERENCES tx_slots(id),
  CONSTRAINT tx_intents_step_id_fkey FOREIGN KEY (step_id) REFERENCES deployment_steps(id)
) WITH (fillfactor=60);
CREATE INDEX tx_intents_payment ON tx_intents USING btree (payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX tx_intents_queued ON tx_intents USING btree (account_id, id) WHERE (state = 'queued'::text);
CREATE INDEX tx_intents_queued_cancels ON tx_intents USING btree (account_id, id) WHERE ((state = 'queued'::text) AND (purpose = 'cancel_deal'::text));
CREATE INDEX tx_intents_slot ON tx_intents USING btree (slot_id) WHERE (slot_id IS NOT NULL);
CREATE INDEX tx_intents_step ON tx_intents USING btree (step_id) WHERE (step_id IS NOT NULL);
CREATE TRIGGER creates_of_payable BEFORE INSERT ON tx_intents FOR EACH ROW WHEN ((new.purpose = 'create_deal'::text)) EXECUTE FUNCTION refuse_blocked_deals();

CREATE TABLE tx_slot_logs (
  id uuid DEFAULT uuidv7() NOT NULL,
  slot_id uuid NOT NULL,
  event_type text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT tx_slot_logs_pkey PRIMARY KEY (id),
  CONSTRAINT tx_slot_logs_event_type_check CHECK ((event_type = ANY (ARRAY['transaction_sent'::text, 'transaction_bumped'::text, 'transaction_mined'::text, 'transaction_confirmed'::text, 'transaction_reorged'::text])))
);
CREATE INDEX tx_slot_logs_slot ON tx_slot_logs USING btree (slot_id);

CREATE TABLE tx_slots (
  id uuid DEFAULT uuidv7() NOT NULL,
  account_id uuid NOT NULL,
  nonce bigint NOT NULL,
  to_address text NOT NULL,
  data bytea NOT NULL,
  value numeric(78,0) DEFAULT 0 NOT NULL,
  gas_limit bigint NOT NULL,
  state text DEFAULT 'assigned'::text NOT NULL,
  tx_hash text,
  block_number bigint,
  block_hash text,
  receipt_status smallint,
  gas_used bigint,
  effective_gas_price numeric(78,0),
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  confirmed_at timestamp with time zone,
  nudged_at timestamp with time zone,
  CONSTRAINT tx_slots_pkey PRIMARY KEY (id),
  CONSTRAINT tx_slots_account_id_nonce_key UNIQUE (account_id, nonce),
  CONSTRAINT tx_slots_check CHECK (((state = ANY (ARRAY['mined'::text, 'confirmed'::text])) = (block_number IS NOT NULL))),
  CONSTRAINT tx_slots_gas_limit_check CHECK ((gas_limit > 0)),
  CONSTRAINT tx_slots_nonce_check CHECK ((nonce >= 0)),
  CONSTRAINT tx_slots_state_check CHECK ((state = ANY (ARRAY['assigned'::text, 'signed'::text, 'mined'::text, 'confirmed'::text]))),
  CONSTRAINT tx_slots_to_address_check CHECK (((length(to_address) = 42) AND starts_with(to_address, '0x'::text) AND (translate(substr(to_address, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT tx_slots_account_id_fkey FOREIGN KEY (account_id) REFERENCES signer_accounts(id)
);
CREATE INDEX tx_slots_block ON tx_slots USING btree (account_id, block_number) WHERE (block_number IS NOT NULL);
CREATE INDEX tx_slots_open ON tx_slots USING btree (account_id, nonce) WHERE (state <> 'confirmed'::text);

CREATE TABLE wallets (
  id uuid DEFAULT uuidv7() NOT NULL,
  node_id uuid NOT NULL,
  chain_id uuid NOT NULL,
  name text NOT NULL,
  address text NOT NULL,
  is_active boolean DEFAULT true NOT NULL,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  adopted boolean DEFAULT false NOT NULL,
  adopted_by uuid,
  deal_modes jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT wallets_pkey PRIMARY KEY (id),
  CONSTRAINT wallets_address_check CHECK (((length(address) = 42) AND starts_with(address, '0x'::text) AND (translate(substr(address, 3), '0123456789abcdef'::text, ''::text) = ''::text))),
  CONSTRAINT wallets_deal_modes_check CHECK ((jsonb_typeof(deal_modes) = 'object'::text)),
  CONSTRAINT wallets_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT wallets_adopted_by_fkey FOREIGN KEY (adopted_by) REFERENCES nodes(id),
  CONSTRAINT wallets_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(id),
  CONSTRAINT wallets_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id)
);
CREATE UNIQUE INDEX wallets_address ON wallets USING btree (chain_id, address) WHERE (deleted_at IS NULL);
CREATE INDEX wallets_list ON wallets USING btree (node_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE TABLE watch_cursors (
  network_id uuid NOT NULL,
  number bigint,
  hash text,
  confirmed_number bigint,
  fence bigint DEFAULT 0 NOT NULL,
  status text DEFAULT 'active'::text NOT NULL,
  status_detail text,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  stray_diamond text,
  stray_token text,
  is_behind_restore boolean DEFAULT false NOT NULL,
  CONSTRAINT watch_cursors_pkey PRIMARY KEY (network_id),
  CONSTRAINT watch_cursors_check CHECK (((number IS NULL) = (hash IS NULL))),
  CONSTRAINT watch_cursors_status_check CHECK ((status = ANY (ARRAY['active'::text, 'halted'::text]))),
  CONSTRAINT watch_cursors_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id)
);

CREATE TABLE webhook_configurations (
  id uuid DEFAULT uuidv7() NOT NULL,
  wallet_id uuid,
  network_id uuid,
  node_id uuid,
  host text NOT NULL,
  success_path text NOT NULL,
  error_path text NOT NULL,
  auth_type text NOT NULL,
  encrypted_credentials bytea,
  encrypted_signing_secret bytea,
  events text[] DEFAULT '{}'::text[] NOT NULL,
  is_active boolean DEFAULT true NOT NULL,
  disabled_reason text,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  previous_encrypted_signing_secret bytea,
  previous_signing_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  CONSTRAINT webhook_configurations_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_configurations_auth_type_check CHECK ((auth_type = ANY (ARRAY['basic'::text, 'token'::text]))),
  CONSTRAINT webhook_configurations_check CHECK (((deleted_at IS NULL) = (encrypted_credentials IS NOT NULL))),
  CONSTRAINT webhook_configurations_check1 CHECK (((deleted_at IS NULL) = (encrypted_signing_secret IS NOT NULL))),
  CONSTRAINT webhook_configurations_check2 CHECK (((previous_encrypted_signing_secret IS NULL) = (previous_signing_secret_until IS NULL))),
  CONSTRAINT webhook_configurations_check3 CHECK (((wallet_id IS NULL) = (network_id IS NULL))),
  CONSTRAINT webhook_configurations_error_path_check CHECK (((length(error_path) >= 1) AND (length(error_path) <= 512))),
  CONSTRAINT webhook_configurations_host_check CHECK (((length(host) >= 1) AND (length(host) <= 2048))),
  CONSTRAINT webhook_configurations_success_path_check CHECK (((length(success_path) >= 1) AND (length(success_path) <= 512))),
  CONSTRAINT webhook_configurations_network_id_fkey FOREIGN KEY (network_id) REFERENCES networks(id),
  CONSTRAINT webhook_configurations_node_id_fkey FOREIGN KEY (node_id) REFERENCES nodes(id),
  CONSTRAINT webhook_configurations_wallet_id_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id)
);
CREATE UNIQUE INDEX webhook_configurations_once ON webhook_configurations USING btree (wallet_id, network_id, host, node_id) NULLS NOT DISTINCT WHERE (deleted_at IS NULL);

CREATE TABLE webhook_deliveries (
  id uuid DEFAULT uuidv7() NOT NULL,
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  state text DEFAULT 'pending'::text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  tries jsonb DEFAULT '[]'::jsonb NOT NULL,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  is_test boolean DEFAULT false NOT NULL,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_deliveries_once UNIQUE (event_id, webhook_id),
  CONSTRAINT webhook_deliveries_check CHECK (((state = 'delivered'::text) = (delivered_at IS NOT NULL))),
  CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'skipped'::text, 'canceled'::text])))
) WITH (fillfactor=60);
CREATE INDEX webhook_deliveries_first ON webhook_deliveries USING btree (webhook_id, id) WHERE ((state = 'pending'::text) AND (attempts = 0));
CREATE INDEX webhook_deliveries_list ON webhook_deliveries USING btree (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_retry ON webhook_deliveries USING btree (webhook_id, due_at) WHERE ((state = 'pending'::text) AND (attempts > 0));
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries USING btree (webhook_id, id) WHERE is_test;

CREATE TABLE webhook_events (
  id uuid DEFAULT uuidv7() NOT NULL,
  type text NOT NULL,
  payment_id uuid,
  sequence integer,
  snapshot jsonb NOT NULL,
  body text,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  checkout_id uuid,
  CONSTRAINT webhook_events_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_events_told CHECK ((((COALESCE(payment_id, checkout_id) IS NULL) = (sequence IS NULL)) AND ((payment_id IS NULL) OR (checkout_id IS NULL))))
) WITH (fillfactor=70);
CREATE INDEX webhook_events_of_checkouts_unrendered ON webhook_events USING btree (id) WHERE ((checkout_id IS NOT NULL) AND (body IS NULL));
CREATE UNIQUE INDEX webhook_events_once ON webhook_events USING btree (payment_id, sequence) WHERE (payment_id IS NOT NULL);
CREATE UNIQUE INDEX webhook_events_once_of_checkout ON webhook_events USING btree (checkout_id, sequence) WHERE (checkout_id IS NOT NULL);

CREATE OR REPLACE FUNCTION alert_subject()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  NEW.subject_id := split_part(NEW.dedupe_key, ':', 2);
  NEW.cause := substr(NEW.dedupe_key, length(NEW.kind) + length(NEW.subject_id) + 3);
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION audit_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  newest record;
BEGIN
  IF pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID), 'USAGE') THEN RETURN NEW; END IF;
  NEW.closed := greatest(OLD.closed, least(NEW.closed, floor(extract(epoch FROM clock_timestamp()) / 60)::bigint - 1));
  NEW.last_number := OLD.last_number;
  NEW.last_minute := OLD.last_minute;
  NEW.last_digest := OLD.last_digest;
  SELECT l.number, l.minute, l.digest INTO newest FROM audit_links l ORDER BY l.number DESC LIMIT 1;
  -- a link that was removed stays noted
  IF newest.number >= OLD.last_number THEN
    NEW.last_number := newest.number;
    NEW.last_minute := newest.minute;
    NEW.last_digest := newest.digest;
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION audit_id()
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  made uuid := uuidv7();
  minute bigint;
  done bigint;
BEGIN
  LOOP
    minute := floor(extract(epoch FROM uuid_extract_timestamp(made)) / 60);
    PERFORM pg_advisory_xact_lock_shared(7227273, minute::int);
    SELECT closed INTO STRICT done FROM audit_chain;
    IF minute > done AND minute >= floor(extract(epoch FROM clock_timestamp()) / 60) THEN RETURN made; END IF;
    -- the minute has just ended, or the clock went back
    made := uuidv7(greatest(to_timestamp((done + 1) * 60) - clock_timestamp(), interval '0'));
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION audit_link()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  chain audit_chain;
  former record;
  finished bigint;
  following bigint;
BEGIN
  SELECT * INTO STRICT chain FROM audit_chain FOR UPDATE;
  SELECT l.number, l.minute, l.digest INTO former FROM audit_links l ORDER BY l.number DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT chain.forgotten_number AS number, chain.forgotten_minute AS minute, chain.forgotten_digest AS digest INTO former;
  END IF;
  -- the last minute whose transactions have all ended: see audit_id()
  SELECT least(chain.closed, min(l.objid::bigint) - 1) INTO finished FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.classid = 7227273 AND l.objsubid = 2
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
  SELECT ('x' || left(replace(e.id::text, '-', ''), 12))::bit(48)::bigint / 60000 INTO following FROM audit_log e
    WHERE e.id >= (lpad(to_hex((former.minute + 1) * 60000), 12, '0') || repeat('0', 20))::uuid
      AND e.id < (lpad(to_hex((finished + 1) * 60000), 12, '0') || repeat('0', 20))::uuid
    ORDER BY e.id LIMIT 1;
  IF following IS NULL OR following <> NEW.minute THEN
    IF NEW.minute IS NULL THEN RETURN NULL; END IF;
    RAISE EXCEPTION 'the minute % is not the next finished one', NEW.minute;
  END IF;
  NEW.number := former.number + 1;
  NEW.minute := following;
  -- as db/audit/chain.ts has it
  SELECT count(*)::int, sha256(string_agg(sha256(convert_to(jsonb_build_array(e.id, e.node_id, e.actor_id, e.actor_node_id,
      e.action, e.resource_id,
      CASE WHEN e.action LIKE 'member.%' THEN jsonb_build_array(e.before -> 'id', e.before -> 'node_id',
        e.before -> 'created_at', e.before -> 'updated_at') ELSE e.before END,
      CASE WHEN e.action LIKE 'member.%' THEN jsonb_build_array(e.after -> 'id', e.after -> 'node_id',
        e.after -> 'created_at', e.after -> 'updated_at') ELSE e.after END,
      e.request_id, (extract(epoch FROM e.created_at) * 1000000)::bigint)::text, 'UTF8')), ''::bytea ORDER BY e.id))
    INTO NEW.entries, NEW.entries_digest FROM audit_log e
    WHERE e.id >= (lpad(to_hex(following * 60000), 12, '0') || repeat('0', 20))::uuid
      AND e.id < (lpad(to_hex((following + 1) * 60000), 12, '0') || repeat('0', 20))::uuid;
  NEW.digest := sha256(former.digest || int8send(NEW.number) || int8send(NEW.minute) || int8send(NEW.entries) || NEW.entries_digest);
  NEW.created_at := clock_timestamp();
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION audit_present()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'links of the audit log are made in transactions that are read committed, and this one is %',
      current_setting('transaction_isolation');
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION database_identity()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT concat_ws('/', extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database()),
    'payments'::regclass::oid, pg_relation_filenode('payments'::regclass))
$function$;

CREATE OR REPLACE FUNCTION keep_blocked()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'the choice that payment % is never changes', OLD.id USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION keep_terms()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'the terms of payment % never change', OLD.id USING ERRCODE = 'restrict_violation';
END $function$;

CREATE OR REPLACE FUNCTION node_path()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION payment_waits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  ended text := CASE WHEN OLD.status IN ('pending', 'canceling') THEN nullif(OLD.status_detail, 'payment_not_borne_out') END;
  started text := CASE WHEN NEW.status IN ('pending', 'canceling') THEN nullif(NEW.status_detail, 'payment_not_borne_out') END;
BEGIN
  IF started IS NOT DISTINCT FROM ended THEN RETURN NULL; END IF;
  INSERT INTO payment_waits (payment_id, event_type, reason, created_at)
  SELECT NEW.id, event_type, reason, NEW.updated_at
  FROM (VALUES ('waiting_ended', ended), ('waiting_started', started)) entry (event_type, reason) WHERE reason IS NOT NULL;
  IF NEW.sequence = OLD.sequence THEN
    INSERT INTO outbox (topic, group_key, workflow_id, payment_id, payload)
    SELECT 'payment_signal', NEW.network_id, follower.workflow_id, NEW.id, jsonb_build_object(
      'payment_id', NEW.id, 'sequence', NULL, 'status', NEW.status, 'status_detail', started, 'transaction_hash', NULL,
      'block_number', NULL, 'block_hash', NULL,
      'event_type', CASE WHEN started IS NULL THEN 'waiting_ended' ELSE 'waiting_started' END,
      'at', to_char(NEW.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    FROM (SELECT NULL AS workflow_id
      UNION ALL SELECT f.workflow_id FROM payment_followers f WHERE f.payment_id = NEW.id) follower;
    PERFORM pg_notify('carat_outbox', '');
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION payments_obey_payout_locks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT 1 FROM payouts WHERE locked) AND EXISTS (
    SELECT 1 FROM added a JOIN nodes n ON n.id = a.node_id
    WHERE a.payment_method = 'web3' AND a.payment_address <> (
      -- of several locks the one nearest the root decides
      SELECT p.address FROM payouts p WHERE p.chain_id = a.chain_id AND p.node_id = ANY (n.path) AND p.locked
      ORDER BY array_position(n.path, p.node_id) LIMIT 1)
  ) THEN
    RAISE EXCEPTION 'a payout lock forbids the payee'
      USING ERRCODE = 'check_violation', TABLE = 'payments', CONSTRAINT = 'payments_payout_lock';
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION refuse_blocked_deals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT 1 FROM payments p WHERE p.id = NEW.payment_id AND p.is_blocked) THEN
    RAISE EXCEPTION 'payment % waits for a former choice of its order', NEW.payment_id USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION tell_pages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('carat_pages', NEW.id::text);
  RETURN NULL;
END $function$;

GRANT DELETE, INSERT, SELECT, UPDATE ON alerts, alive_turn, block_headers, branding, chains, checkout_options, checkouts, currencies, currency_tokens, deployment_steps, deployments, diamonds, floor, idempotency_keys, integrations, key_holders, members, network_looks, networks, node_network_wallet_defaults, nodes, offer_ends, offer_looks, offer_windows, offers, outbox, payment_followers, payment_items, payment_logs, payment_waits, payments, payouts, processes, rate_limits, restored_lanes, restores, retention, signer_accounts, stray_tokens, token_keys, tx_attempts, tx_intents, tx_slot_logs, tx_slots, wallets, watch_cursors, webhook_configurations, webhook_deliveries, webhook_events TO carat_app;

GRANT SELECT, UPDATE (closed), UPDATE (last_digest), UPDATE (last_minute), UPDATE (last_number) ON audit_chain TO carat_app;

GRANT SELECT, INSERT (digest), INSERT (entries), INSERT (entries_digest), INSERT (minute), INSERT (number) ON audit_links TO carat_app;

GRANT SELECT, INSERT (action), INSERT (actor_id), INSERT (actor_node_id), INSERT (address), INSERT (after), INSERT (before), INSERT (node_id), INSERT (request_id), INSERT (resource_id) ON audit_log TO carat_app;

GRANT USAGE ON SEQUENCE deployments_number_seq, outbox_id_seq TO carat_app;
