import { randomBytes } from 'node:crypto';
import { createEncryption } from '../../../runtime/encryption.ts';
import { operationsOf, type ResolvedOperation } from '../../../tools/build/openapi.ts';
import { startApi, type Answer } from '../support/api-under-test.ts';
import { openPage, statesIn } from '../support/events.ts';
import type { Knex } from 'knex';
import { makeSigningSecret, encryptCredentials } from '../../../api/webhooks/credentials.ts';
import type { Encryption } from '../../../runtime/encryption.ts';
import { hashSecret } from '../../../api/auth/credentials.ts';
import { permissions } from '../../../domain/access.ts';
import type { InspectedDiamond } from '../../../domain/version-check.ts';
import type { VersionCheck } from '../../../api/generated/openapi-types.ts';
import { openApi } from '../../support/once/specification.ts';
import { eventually } from '../../support/eventually.ts';

/*
 * Every example request of openapi.yaml is sent as it is written, in the world of the examples, and must be answered as
 * its example answer says.
 */

/*
 * The world of the examples of openapi.yaml: a platform with one merchant on Sepolia, as it was on the 1st of March
 * 2099 when its first order waited to be paid.
 */

const platformId = '3c2b1a09-8f7e-8d6c-9b5a-4f3e2d1c0b9a';
const nodeId = '0b9d3a52-6a0e-8f43-9a57-1d3f8c0a2b11';
const chainId = '5f0c9c1e-7a64-8d12-8f9b-7f6a5b4c3d21';
const networkId = '7d2f4a6c-8e90-8b1c-9d2e-3f4a5b6c7d8e';
const currencyId = '9a8b7c6d-5e4f-8a3b-9c2d-1e0f9a8b7c6d';
const walletId = '4c1d2e3f-5a6b-4c7d-8e9f-0a1b2c3d4e5f';
/** The order whose buyer chooses. */
const checkoutId = '01990b6e-2f6b-7c1a-8f0e-9f2c4e81ab03';
/** Ids that the service has chosen. */
const id = (end: string): string => `01990b6e-2f6b-7c1a-8f0e-2f4c3d5e6f${end}`;

/** The logo of the example: one pixel. */
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGOQ9bvxHwAEEgJD6R8JuAAAAABJRU5ErkJggg==',
  'base64',
);

const noon = '2099-03-01T12:00:00.000Z';
const confirmed = '2099-03-01T12:01:30.000Z';
const tried = '2099-03-01T12:02:00.000Z';
const walletAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const tokenAddress = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238';
const payee = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const dealTransaction = '0x9f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c3d5e7f9a1b3c5d7e9f10';
const diamondTransaction = '0x3e5f7a9b1c3d5e7f9a1b3c5d7e9f109f2c4b6a8d0e1f3a5b7c9d1e3f5a7b9c1d';
const dealBlock = { number: 9_876_543, hash: '0x1b7d3f5a9c8e2046b8d0f2a4c6e8091b3d5f7a9c1e3b5d7f90a2c4e6f8091a2b' };

/** The operator's catalogue. */
const exampleCatalogue = {
  nodes: [{ id: platformId, name: 'platform', children: [{ id: nodeId, name: 'merchant' }] }],
  chains: [{ id: chainId, name: 'Ethereum', first_root: `0x${'aa'.repeat(20)}`, platform_id: `0x${'01'.repeat(32)}` }],
  networks: [
    {
      id: networkId,
      name: 'Sepolia',
      chain: 'Ethereum',
      eip155: 11_155_111,
      rpc_urls: ['http://127.0.0.1:1'],
      confirmations: 6,
      finality: 96,
      block_time_ms: 12_000,
      explorer_url: 'https://sepolia.etherscan.io',
      public_rpc_urls: ['https://rpc.sepolia.example'],
      max_fee_per_gas_gwei: 100,
      operators: [`0x${'0a'.repeat(20)}`],
      upgrader: `0x${'ff'.repeat(20)}`,
      guardian: `0x${'ee'.repeat(20)}`,
    },
  ],
  currencies: [
    {
      id: currencyId,
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      tokens: [{ network: 'Sepolia', address: tokenAddress, decimals: 6, permit: { name: 'USDC', version: '2' } }],
    },
  ],
};

/** Sets the times of the story on the rows of the catalogue. */
const settleCatalogue = async (knex: Knex): Promise<void> => {
  for (const table of ['nodes', 'networks']) await knex(table).update({ created_at: noon, updated_at: noon });
  for (const table of ['chains', 'currencies']) await knex(table).update({ created_at: noon });
  const earlier = '2099-03-01T11:00:00.000Z';
  await knex('nodes').where({ id: platformId }).update({ created_at: earlier, updated_at: earlier });
};

interface Row {
  readonly table: string;
  readonly values: Record<string, unknown>;
}

const times = { created_at: noon, updated_at: noon };

/**
 * Everything else, in an order in which it can be inserted.
 * @param later gives a time of the story in this year's terms, where it must lie in the future
 */
const rowsOf = (encryption: Encryption, operatorAccount: string, later: (time: string) => string): Row[] => {
  const webhookId = id('79');
  const wallet = { id: walletId, node_id: nodeId, chain_id: chainId, name: 'main wallet', is_active: true, ...times };
  const payment = {
    node_id: nodeId,
    chain_id: chainId,
    network_id: networkId,
    currency_id: currencyId,
    decimals: 6,
    price_units: '15000000',
    paid_price_units: '12500000',
    payment_group: 'product',
    created_at: noon,
  };
  const expiry = (time: string) => ({ expires_at: later(time), expires_unix: Date.parse(later(time)) / 1_000 });
  return [
    {
      table: 'integrations',
      values: {
        id: id('70'),
        node_id: nodeId,
        name: 'web shop',
        api_key: 'ck_5fVwTHyhQqWJc5Xcd0Jp6A',
        secret_hash: hashSecret('cs_tn7zWRUuC7P4Dl2L6nHDrEoV3NVpJK9ecuNxYyFQ3bE'),
        permissions: ['payments.read', 'payments.create'],
        last_used_at: '2099-03-01T12:30:00.000Z',
        created_at: noon,
      },
    },
    { table: 'wallets', values: { ...wallet, address: walletAddress.toLowerCase() } },
    {
      table: 'audit_log',
      values: {
        id: id('75'),
        node_id: nodeId,
        actor_id: id('70'),
        actor_node_id: nodeId,
        action: 'wallet.created',
        resource_id: walletId,
        before: null,
        after: JSON.stringify({ ...wallet, deal_modes: [], address: walletAddress }),
        address: '203.0.113.9',
        request_id: '0f3b2e4c-5a0d-4f5e-9f43-6b0c5b1f5c11',
        created_at: noon,
      },
    },
    {
      table: 'processes',
      values: {
        id: id('90'),
        kind: 'worker',
        name: '17@worker-1',
        started_at: '2099-03-01T11:00:00.000Z',
        temporal_at: new Date(),
        level: 3,
      },
    },
    {
      table: 'network_looks',
      values: { network_id: networkId, number: dealBlock.number, looked_at: new Date(), risen_at: new Date() },
    },
    {
      table: 'diamonds',
      values: {
        wallet_id: walletId,
        network_id: networkId,
        address: walletAddress.toLowerCase(),
        operator_account_id: operatorAccount,
        status: 'active',
      },
    },
    {
      table: 'deployments',
      values: { id: id('6f'), wallet_id: walletId, network_id: networkId, kind: 'deploy', ...times },
    },
    ...['preflight', 'deploy_facets', 'deploy_diamond', 'verify', 'activate'].map((key, seq) => ({
      table: 'deployment_steps',
      values: {
        id: id(['7e', '7f', '71', '80', '81'][seq]!),
        ...times,
        deployment_id: id('6f'),
        seq,
        key,
        status: ['completed', 'completed', 'started', 'pending', 'pending'][seq],
      },
    })),
    {
      table: 'tx_slots',
      values: {
        id: id('82'),
        account_id: operatorAccount,
        nonce: 0,
        to_address: `0x${'cc'.repeat(20)}`,
        data: '',
        gas_limit: 1,
        state: 'mined',
        tx_hash: diamondTransaction,
        block_number: 7_204_309,
        created_at: noon,
      },
    },
    {
      table: 'tx_intents',
      values: {
        id: id('83'),
        idempotency_key: 'step',
        account_id: operatorAccount,
        purpose: 'create_diamond',
        step_id: id('71'),
        to_address: `0x${'cc'.repeat(20)}`,
        data: '',
        state: 'assigned',
        slot_id: id('82'),
        created_at: noon,
      },
    },
    {
      table: 'node_network_wallet_defaults',
      values: { id: id('74'), node_id: nodeId, network_id: networkId, wallet_id: walletId, type: 'node', ...times },
    },
    {
      table: 'members',
      values: {
        id: id('73'),
        node_id: nodeId,
        external_id: 'customer-42',
        name: 'Ada',
        surname: 'Lovelace',
        email: 'ada@example.com',
        ...times,
      },
    },
    {
      table: 'payments',
      values: {
        ...payment,
        ...expiry('2099-03-01T13:00:00.000Z'),
        id: id('72'),
        external_id: 'order-1001',
        wallet_id: walletId,
        payment_method: 'web3',
        payment_address: payee.toLowerCase(),
        metadata: '{"cart":"c-9"}',
        success_url: 'https://shop.example/thanks?order=1001',
        cancel_url: 'https://shop.example/cart',
        locale: 'de',
        status: 'awaiting_payment',
        sequence: 2,
        deal_id: '4503599627370497',
        diamond_address: walletAddress.toLowerCase(),
        token_address: tokenAddress.toLowerCase(),
        terms_hash: `0x${'00'.repeat(32)}`,
        deal_tx_hash: dealTransaction,
        deal_block_number: dealBlock.number,
        deal_block_hash: dealBlock.hash,
        updated_at: confirmed,
      },
    },
    {
      table: 'payment_items',
      values: {
        payment_id: id('72'),
        position: 0,
        name: 'Blue shirt, M',
        price_units: '12500000',
        external_id: 'sku-77',
      },
    },
    {
      table: 'payment_logs',
      values: {
        id: id('77'),
        payment_id: id('72'),
        sequence: 1,
        event_type: 'payment_created',
        status: 'pending',
        message: 'Payment created',
        actor_type: 'integration',
        actor_id: id('70'),
        created_at: noon,
      },
    },
    {
      table: 'payment_logs',
      values: {
        id: id('78'),
        payment_id: id('72'),
        sequence: 2,
        event_type: 'deal_confirmed',
        status: 'awaiting_payment',
        message: 'Deal confirmed on the chain; the buyer can pay',
        actor_type: 'chain',
        data: JSON.stringify({
          transaction_hash: dealTransaction,
          block_number: dealBlock.number,
          block_hash: dealBlock.hash,
        }),
        created_at: confirmed,
      },
    },
    {
      table: 'payments',
      values: {
        ...payment,
        ...expiry('2099-03-04T12:00:00.000Z'),
        id: id('76'),
        external_id: 'order-1002',
        payment_method: 'bank_transfer',
        payment_address: 'DE00 1234 5678 9012 3456 78',
        updated_at: noon,
      },
    },
    {
      table: 'payments',
      values: {
        ...payment,
        ...expiry('2099-03-01T13:00:00.000Z'),
        id: id('7a'),
        external_id: 'order-1003',
        wallet_id: walletId,
        payment_method: 'web3',
        payment_address: payee.toLowerCase(),
        deal_id: '4503599627370501',
        diamond_address: walletAddress.toLowerCase(),
        token_address: tokenAddress.toLowerCase(),
        terms_hash: `0x${'00'.repeat(32)}`,
        updated_at: noon,
      },
    },
    {
      table: 'checkouts',
      values: {
        ...expiry('2099-03-01T13:00:00.000Z'),
        id: checkoutId,
        node_id: nodeId,
        external_id: 'order-2001',
        payment_group: 'product',
        payment_address: payee.toLowerCase(),
        items: JSON.stringify([{ name: 'Blue shirt, M', price: '12.5', external_id: 'sku-77' }]),
        ...times,
      },
    },
    ...['12500000', '12000000'].map((due, index) => ({
      table: 'checkout_options',
      values: {
        checkout_id: checkoutId,
        index,
        network_id: networkId,
        wallet_id: walletId,
        currency_id: currencyId,
        decimals: 6,
        price_units: '12500000',
        paid_price_units: due,
        payment_address: payee.toLowerCase(),
      },
    })),
    {
      table: 'webhook_configurations',
      values: {
        id: webhookId,
        wallet_id: walletId,
        network_id: networkId,
        host: 'https://shop.example',
        success_path: '/carat/paid',
        error_path: '/carat/unpaid',
        auth_type: 'basic',
        encrypted_credentials: encryptCredentials(encryption, webhookId, {
          type: 'basic',
          username: 'carat',
          password: 'correct horse battery staple',
        }),
        encrypted_signing_secret: makeSigningSecret(encryption, webhookId).encrypted,
        events: ['payment.processing'],
        ...times,
      },
    },
    {
      table: 'webhook_events',
      values: {
        id: id('7b'),
        type: 'payment.processing',
        payment_id: id('72'),
        sequence: 3,
        snapshot: '{}',
        body: `{"id":"${id('7b')}","type":"payment.processing"}`,
      },
    },
    {
      table: 'webhook_deliveries',
      values: {
        id: id('7c'),
        webhook_id: webhookId,
        event_id: id('7b'),
        state: 'skipped',
        attempts: 1,
        tries: JSON.stringify([
          {
            at: tried,
            url: 'https://shop.example/carat/paid',
            signature: 'v1,c2lnbmF0dXJl',
            status: 503,
            error: null,
            body: 'try later',
            duration_ms: 41,
          },
        ]),
        created_at: tried,
        updated_at: tried,
      },
    },
    {
      table: 'branding',
      values: {
        node_id: nodeId,
        display_name: 'Blue Shirts',
        accent_color: '#1d4ed8',
        logo: onePixel,
        frame_origins: ['https://shop.example'],
        updated_at: noon,
      },
    },
    {
      table: 'payouts',
      values: {
        node_id: nodeId,
        chain_id: chainId,
        address: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
        locked: true,
        updated_at: noon,
      },
    },
    {
      table: 'alerts',
      values: {
        id: id('7d'),
        kind: 'payment_after_end',
        dedupe_key: 'payment_after_end',
        node_id: nodeId,
        network_id: networkId,
        payment_id: id('72'),
        message: 'A payment that is over was paid on the chain',
        data: { block_number: dealBlock.number },
        created_at: noon,
      },
    },
  ];
};

/** An integration of the platform that may do everything; the examples do not show it. */
const exampleAdmin = {
  node_id: platformId,
  name: 'operator',
  api_key: 'ck_operator',
  secret_hash: hashSecret('cs_operator'),
  permissions,
};

/**
 * Makes the world anew.
 * @param without ids of what is not there yet, because the request is to create it, and with them all that refers to them
 */
const makeExampleWorld = async (
  knex: Knex,
  encryption: Encryption,
  { without, later }: { readonly without: readonly string[]; readonly later: (time: string) => string },
): Promise<void> => {
  const account = await knex('signer_accounts').where({ role: 'operator' }).first<{ id: string }>('id');
  const tables = [
    'wallets',
    'members',
    'checkouts',
    'payments',
    'audit_log',
    'idempotency_keys',
    'outbox',
    'webhook_events',
  ];
  tables.push('webhook_deliveries', 'alerts', 'tx_slots', 'payouts', 'branding', 'processes', 'network_looks');
  // The api's own statements lock them in another order: it gives up before PostgreSQL would have to end one of both.
  await eventually(() =>
    knex.transaction(async (trx) => {
      await trx.raw(`SET LOCAL lock_timeout = '100ms'`);
      await trx.raw(`TRUNCATE ${tables.join(', ')} CASCADE`);
      return true;
    }),
  );
  await knex('integrations').whereNot({ api_key: exampleAdmin.api_key }).delete();
  const missing = [...without];
  for (const { table, values } of rowsOf(encryption, account.id, later)) {
    const text = JSON.stringify(values);
    if (!missing.some((absent) => text.includes(absent))) await knex(table).insert(values);
    else if (typeof values.id === 'string') missing.push(values.id);
  }
};

/** The diamond of the version check's example. */
const exampleDiamond = (): InspectedDiamond => {
  const { responses } = operationsOf(openApi).find(({ operationId }) => operationId === 'checkVersion')!;
  const {
    contracts,
    block_number: blockNumber,
    checked_at: checkedAt,
  } = responses['200']!.content!['application/json']!.example as VersionCheck;
  const stored = contracts.map((contract) => ({ ...contract, address: contract.address.toLowerCase() }));
  return { isThere: true, cut: null, blockNumber, checkedAt, contracts: stored };
};

const masterKey = randomBytes(32);
const encryption = createEncryption(masterKey);
const api = await startApi({
  catalogue: exampleCatalogue,
  masterKey,
  temporalReachable: true,
  inspect: () => Promise.resolve(exampleDiamond()),
  webhookHosts: 'public',
});
let adminToken = '';
beforeAll(async () => {
  await settleCatalogue(api.knex);
  await api.knex('integrations').insert(exampleAdmin);
  const { body: grant } = await api.call('POST', '/api/v1/auth/token', {
    json: { grant_type: 'client_credentials', client_id: exampleAdmin.api_key, client_secret: 'cs_operator' },
  });
  adminToken = (grant as { access_token: string }).access_token;
});

/** Answers that are no data: the document itself and its page, and images. */
const withoutExample = [
  'getDocs',
  'getDocsScript',
  'getGuide',
  'getSpecification',
  'getLogo',
  'getPayPage',
  'getWidgetFile',
];

/** Values that each installation chooses. */
const generated = ['access_token', 'checkout_url', 'kid', 'x', 'server_time'];
/** Values that the service chooses when it writes; only at the top of an answer, because nested objects existed before. */
const generatedByWrites = [
  'id',
  'created_at',
  'updated_at',
  'completed_at',
  'address',
  'deal_id',
  'api_key',
  'secret',
  'signing_secret',
  'previous_secret_expires_at',
  'event_id',
  'payment_id',
  'next_attempt_at',
  'closed_at',
];

/** Values of the status that depend on the moment of the request. */
const ofTheMoment = ['at', 'value'];
const timeless = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value: unknown) => (ofTheMoment.includes(name) ? typeof value : value)));

/**
 * The examples stand in a far year; the times that must lie in the near future, also as the chain counts them, are moved
 * by whole days. Nothing else of an example is replaced but the tokens, which are no part of it.
 */
const future = ['2099-03-01T13:00:00', '2099-03-04T12:00:00'];
const day = 86_400_000;
const shift = Math.ceil((Date.now() - Date.parse(`${future[0]}Z`)) / day + 1) * day;
const later = (time: string): string => new Date(Date.parse(time) + shift).toISOString();
const wordOf = (value: number): string => value.toString(16).padStart(64, '0');
const moved = (text: string): string =>
  future.reduce((changed, time) => {
    const unix = Date.parse(`${time}Z`) / 1_000;
    return (
      changed
        .replaceAll(time, later(`${time}Z`).slice(0, 19))
        .replaceAll(`"${unix}"`, `"${unix + shift / 1_000}"`)
        // In an encoded call.
        .replaceAll(wordOf(unix), wordOf(unix + shift / 1_000))
    );
  }, text);
const inTime = (example: unknown): unknown => JSON.parse(moved(JSON.stringify(example)));

/** Of one diamond one run is unfinished; in the world that is a deployment. */
const makeUpdates = async (knex: Knex): Promise<void> => {
  await knex('deployments').update({ kind: 'update' });
  await knex('deployment_steps').where({ key: 'deploy_diamond' }).update({ key: 'cut' });
};

/** The example answer with the values of the real one where they are generated. */
const expected = (example: unknown, real: unknown, isTop: boolean, writes: boolean): unknown => {
  if (Array.isArray(example)) {
    return example.map((entry, index) => expected(entry, (real as unknown[] | undefined)?.[index], false, writes));
  }
  if (typeof example !== 'object' || example === null) return example;
  const actual = (real ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => {
      // The payment of a choice is the only nested object that a write creates.
      const isCreated = isTop || 'access_token' in example;
      const isGenerated = generated.includes(name) || (writes && isCreated && generatedByWrites.includes(name));
      if (isGenerated && value !== null && typeof actual[name] === typeof value) return [name, actual[name]];
      return [name, expected(value, actual[name], false, writes)];
    }),
  );
};

interface Success {
  readonly status: number;
  readonly example: unknown;
}

const successOf = ({ responses }: ResolvedOperation): Success => {
  const [status, { content = {} }] = Object.entries(responses).findLast(([key]) => Number(key) < 400)!;
  return { status: Number(status), example: Object.values(content)[0]?.example };
};

/** The path with the examples of its parameters. */
const targetOf = ({ path, parameters, operationId }: ResolvedOperation): string => {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place, required, example } of parameters) {
    if (required !== true) continue;
    if (example === undefined) throw new Error(`${operationId}: the parameter ${name} has no example`);
    if (place === 'path') target = target.replace(`{${name}}`, String(example));
    if (place === 'query') query.set(name, String(example));
  }
  return query.size === 0 ? target : `${target}?${query.toString()}`;
};

const tokenOf = async ({ access, path }: ResolvedOperation, target: string): Promise<{ token?: string }> => {
  if (access === 'integration') return { token: adminToken };
  if (access === 'public') return {};
  // The widget's token is the payment's own.
  const payment = await api.call('GET', target.replace('/widget', '').replace(/\/(events|choose)$/, ''), {
    token: adminToken,
  });
  if (payment.status !== 200) throw new Error(`there is no payment for ${path}`);
  return { token: (payment.body as { access_token: string }).access_token };
};

const send = async (operation: ResolvedOperation, mediaType?: string, example?: unknown): Promise<Answer> => {
  const target = targetOf(operation);
  const options = await tokenOf(operation, target);
  if (mediaType === undefined) return api.call(operation.method, target, options);
  const body = moved(JSON.stringify(example));
  const raw =
    mediaType === 'application/json'
      ? body
      : new URLSearchParams(JSON.parse(body) as Record<string, string>).toString();
  return api.call(operation.method, target, { ...options, raw, headers: { 'content-type': mediaType } });
};

interface Case {
  readonly name: string;
  readonly operation: ResolvedOperation;
  /** Absent for operations without a body. */
  readonly mediaType?: string;
  readonly body?: unknown;
}

const cases = operationsOf(openApi)
  .filter(({ operationId }) => !withoutExample.includes(operationId))
  .flatMap((operation): Case[] => {
    const bodies = Object.entries(operation.requestBody?.content ?? {});
    const name = operation.operationId;
    if (bodies.length === 0) return [{ name, operation }];
    return bodies.map(([mediaType, { example }]) => ({
      name: bodies.length === 1 ? name : `${name} (${mediaType})`,
      operation,
      mediaType,
      body: example,
    }));
  });

describe('the examples', () => {
  it.each(cases)('$name', async ({ operation, mediaType, body }) => {
    const { status, example } = successOf(operation);
    if (mediaType !== undefined) expect(body).toBeDefined();
    if (status !== 204) expect(example).toBeDefined();
    const made = (example as { id?: string } | undefined)?.id;
    // A choice makes a payment, and answers with its order.
    const creates = status === 201 && made !== undefined && operation.access !== 'widget';
    await makeExampleWorld(api.knex, encryption, { without: creates ? [made] : [], later });
    if (operation.operationId === 'updateDiamond') await makeUpdates(api.knex);

    const answer = await send(operation, mediaType, body);
    expect(answer.body?.errors ?? []).toEqual([]);
    expect(answer.status).toBe(status);
    if (status === 204) expect(answer.text).toBe('');
    else if (operation.operationId === 'getStatus') expect(timeless(answer.body)).toEqual(timeless(example));
    else expect(answer.body).toEqual(expected(inTime(example), answer.body, true, operation.method !== 'GET'));
  });

  it('getWidgetPaymentEvents as a stream', async () => {
    const operation = operationsOf(openApi).find(({ operationId }) => operationId === 'getWidgetPaymentEvents')!;
    const example = operation.responses['200']!.content!['text/event-stream']!.example as string;
    await makeExampleWorld(api.knex, encryption, { without: [], later });
    const target = targetOf(operation);
    const { token = '' } = await tokenOf(operation, target);
    const page = await openPage(api.url, { id: target.split('/').at(-2)!, access_token: token });
    const state = await page.until({});
    const [first] = statesIn(example);
    expect(state).toEqual(expected(inTime(first), state, true, false));
    expect(example).toBe(`event: state\ndata: ${JSON.stringify(first)}\n\n`);
    page.close();
  });

  it('name different objects by different ids', () => {
    const seen = new Map<string, string>();
    const walk = (value: unknown): void => {
      if (Array.isArray(value)) return value.forEach(walk);
      if (typeof value !== 'object' || value === null) return;
      const { id, ...rest } = value as Record<string, unknown>;
      // Members of one kind have the same names, whatever their state.
      const kind = Object.keys(rest)
        .filter((name) => !/secret|_at$|^request$|^tries$/.test(name))
        .sort()
        .join();
      if (typeof id === 'string' && kind !== '') {
        expect([id, seen.get(id) ?? kind]).toEqual([id, kind]);
        seen.set(id, kind);
      }
      Object.values(value).forEach(walk);
    };
    // The widget shows payments in a form of its own.
    const told = cases.filter(({ operation }) => operation.access !== 'widget');
    for (const { operation } of told) walk(successOf(operation).example);
    expect(seen.size).toBeGreaterThan(10);
  });
});
