import fs from 'node:fs';
import { load } from 'js-yaml';
import { applyCatalogue, derivedId } from '../../../db/catalogue/apply.ts';
import { CatalogueError } from '../../../db/catalogue/file.ts';
import { accountsWithLane, signersOf } from '../../../db/lane/accounts.ts';
import { keysInUse } from '../../../db/lane/holders.ts';
import { connect } from '../../../db/connection.ts';
import { watchedNetwork, watchedNetworks } from '../../../db/watcher/networks.ts';
import type { NetworkCheck, NetworkQuestion } from '../../../domain/ports/network-check.ts';
import { demoCatalogue } from '../../../tools/stack/prepare.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld, hex } from '../../support/fixtures.ts';

const genesis = `0x${'ab'.repeat(32)}`;
const asWritten: NetworkCheck = () => Promise.resolve({ genesisHash: genesis, problems: [] });
const demoNetwork = { name: 'alpha', eip155: 31_999, blockTime: 1, confirmations: 1, finality: 8 };
const operator = `0x${'0A'.repeat(20)}`;
const upgrader = `0x${'0b'.repeat(20)}`;
const firstRoot = `0x${'0d'.repeat(20)}`;
const newRoot = `0x${'1d'.repeat(20)}`;
const guardian = `0x${'0e'.repeat(20)}`;
const platformId = `0x${'01'.repeat(32)}`;

/** A catalogue of one tree, one network and two currencies, changed as a test needs it. */
// The draft is changed in ways that its type forbids: the tests are about these.
// oxlint-disable-next-line typescript/no-explicit-any
const file = (change: (draft: any) => void = () => {}): unknown => {
  const draft = {
    nodes: [{ name: 'root', children: [{ name: 'shop', children: [{ name: 'branch' }] }, { name: 'other' }] }],
    chains: [{ name: 'Main', first_root: firstRoot.replace('d', 'D'), platform_id: platformId }],
    networks: [
      {
        name: 'Net',
        chain: 'Main',
        eip155: 31_337,
        rpc_urls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
        quorum: 2,
        confirmations: 3,
        finality: 64,
        block_time_ms: 1000,
        max_fee_per_gas_gwei: 1.5,
        operators: [operator],
        upgrader,
        guardian,
      },
    ],
    currencies: [
      { symbol: 'ETH', name: 'Ether', decimals: 18, tokens: [{ network: 'Net' }] },
      {
        symbol: 'USD',
        name: 'Dollar',
        decimals: 2,
        tokens: [{ network: 'Net', address: `0x${'0C'.repeat(20)}`, decimals: 6 }],
      },
    ],
  };
  change(draft);
  return draft;
};

const knex = connect((await createTestDatabase()).url, { pool: 4 });
afterAll(() => knex.destroy());

const problemsOf = async (input: unknown, check = asWritten): Promise<readonly string[]> => {
  try {
    await applyCatalogue(knex, input, check);
  } catch (error) {
    if (error instanceof CatalogueError) return error.problems;
    throw error;
  }
  return [];
};

describe('the catalogue', () => {
  it('writes nodes with their paths, networks with their signer accounts and cursors, currencies with their tokens', async () => {
    const questions: NetworkQuestion[] = [];
    const applied = await applyCatalogue(knex, file(), (question) => {
      questions.push(question);
      return asWritten(question);
    });

    const { root, shop, branch } = applied.nodes;
    expect(root).toBe(derivedId('node', 'root'));
    const stored = await knex('nodes').where({ id: branch }).first('path', 'parent_id');
    expect(stored).toEqual({ path: [root, shop, branch], parent_id: shop });
    expect(await watchedNetwork(knex, applied.networks.Net!)).toEqual({
      id: applied.networks.Net,
      name: 'Net',
      eip155: 31_337,
      rpcUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
      quorum: 2,
      confirmations: 3,
      finality: 64,
      blockTimeMs: 1000,
      maxFeePerGas: 1_500_000_000n,
      genesisHash: genesis,
      platform: { firstRoot, id: platformId, approvalDelay: 172_800n },
      root: firstRoot,
      guardian,
      isAtRest: false,
    });
    expect(await knex('watch_cursors').pluck('network_id')).toEqual([applied.networks.Net]);
    expect(await knex('signer_accounts').orderBy('role').select('address', 'role', 'max_inflight')).toEqual([
      { address: operator.toLowerCase(), role: 'operator', max_inflight: 16 },
      { address: upgrader, role: 'upgrader', max_inflight: 16 },
    ]);
    expect(await knex('currency_tokens').orderBy('decimals').select('address', 'decimals')).toEqual([
      { address: `0x${'0c'.repeat(20)}`, decimals: 6 },
      { address: null, decimals: 18 },
    ]);
    expect(questions).toEqual([
      {
        name: 'Net',
        confirmations: 3,
        eip155: 31_337,
        quorum: 2,
        rpcUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
        known: undefined,
        platform: { firstRoot, id: platformId, approvalDelay: 172_800n },
        tokens: [{ symbol: 'USD', address: `0x${'0c'.repeat(20)}`, decimals: 6 }],
      },
    ]);
  });

  it('gives the check of an existing network its stored endpoints and tokens', async () => {
    const known: unknown[] = [];
    await applyCatalogue(knex, file(), (question) => {
      known.push(question.known);
      return asWritten(question);
    });
    const rpcUrls = ['http://127.0.0.1:1', 'http://127.0.0.1:2'];
    expect(known).toEqual([{ rpcUrls, tokens: [{ address: `0x${'0c'.repeat(20)}`, decimals: 6, permit: null }] }]);
  });

  it('changes nothing when it is applied again, even by four at once', async () => {
    const before = await knex('networks').first('updated_at');
    const again = await Promise.all([1, 2, 3, 4].map(() => applyCatalogue(knex, file(), asWritten)));
    expect(again.map((applied) => applied.changes)).toEqual([0, 0, 0, 0]);
    expect(await knex('networks').first('updated_at')).toEqual(before);
  });

  it('says that a renamed network needs its id, because two cannot have one EIP-155 id', async () => {
    const renamed = file((draft) => {
      draft.networks[0].name = 'Renamed';
      for (const { tokens } of draft.currencies) for (const token of tokens) token.network = 'Renamed';
    });
    expect(await problemsOf(renamed)).toEqual([
      `network Renamed has the EIP-155 id of the stored network Net; if it is that one, write its id: ${derivedId('network', 'Net')}`,
    ]);
  });

  it('updates rows to the file, and gives a currency exactly its tokens', async () => {
    const applied = await applyCatalogue(
      knex,
      file((draft) => {
        draft.networks[0].confirmations = 5;
        draft.currencies[1].tokens = [];
      }),
      asWritten,
    );
    expect(applied.changes).toBe(2);
    const [network] = await watchedNetworks(knex);
    expect(network?.confirmations).toBe(5);
    expect(await knex('currency_tokens').pluck('currency_id')).toEqual([applied.currencies.ETH]);
    await applyCatalogue(knex, file(), asWritten);
  });

  it('lists signers, which get no lane, and dismisses signers that left it', async () => {
    const signer = `0x${'0F'.repeat(20)}`;
    const withSigners = (signers: readonly string[]) =>
      applyCatalogue(
        knex,
        file((draft) => void (draft.networks[0].signers = signers)),
        asWritten,
      );
    const { networks } = await withSigners([signer]);
    const signers = async () => (await signersOf(knex, networks.Net!)).signers;
    expect(await signers()).toEqual([signer.toLowerCase()]);
    expect((await keysInUse(knex)).map(({ role }) => role)).toContain('signer');
    expect((await accountsWithLane(knex)).map(({ role }) => role).toSorted()).toEqual(['operator', 'upgrader']);
    expect((await withSigners([signer])).changes).toBe(0);
    expect(await withSigners([])).toMatchObject({ dismissed: [{ role: 'signer', open: 0 }] });
    expect(await signers()).toEqual([]);
    expect(await problemsOf(file((draft) => void (draft.networks[0].signers = [operator])))).toEqual([
      `catalogue.networks[0].signers must be a separate key; ${operator.toLowerCase()} is also in operators`,
    ]);
    expect(await problemsOf(file((draft) => void (draft.networks[0].signers = 'x')))).toEqual([
      'catalogue.networks[0].signers must be a list of 0 to 16 addresses in quotes',
    ]);
  });

  it('reports every problem of the file at once, with its place', async () => {
    const problems = await problemsOf(
      file((draft) => {
        draft.nodes[0].children[1].name = 'shop';
        draft.networks[0].eip155 = 0;
        draft.networks[0].finality = 3;
        draft.networks[0].upgrader = operator;
        draft.networks[0].colour = 'blue';
        draft.currencies[0].tokens[0].network = 'Nowhere';
        draft.currencies[1].decimals = 37;
        delete draft.chains[0].name;
      }),
    );
    expect(problems).toEqual([
      'catalogue.chains[0].name must be a text of 1 to 255 characters',
      'catalogue.networks[0].colour is unknown; known: id, name, chain, eip155, rpc_urls, quorum, confirmations, finality, block_time_ms, explorer_url, native_symbol, public_rpc_urls, max_fee_per_gas_gwei, operators, upgrader, signers, root, guardian, max_inflight, retired',
      'catalogue.networks[0].eip155 must be a whole number from 1 to 9007199254740991',
      'catalogue.currencies[1].decimals must be a whole number from 0 to 36',
      'catalogue.networks[0].finality must be a whole number from 4 to 1000000',
      `catalogue.networks[0].operators must be a separate key; ${operator.toLowerCase()} is also in upgrader`,
      'node shop appears twice',
      'network Net names the chain Main, which is not in the file',
      'a token names the network Nowhere, which is not in the file',
    ]);
  });

  it.each([null, 'text', [], { nodes: 'x' }, { nodes: [null] }, { networks: [{}] }])(
    'refuses %j with a CatalogueError',
    async (input) => {
      expect((await problemsOf(input)).length).toBeGreaterThan(0);
    },
  );

  it.each([undefined, null])('refuses a permit of a native coin, whose address is %p', async (address) => {
    const input = file((draft) => {
      Object.assign(draft.currencies[0].tokens[0], { address, permit: { name: 'Ether', version: '1' } });
    });
    await expect(problemsOf(input)).resolves.toEqual(['the native coin of Net has no permit: leave it out']);
  });

  it('warns of several nodes without a parent, each of which is an operator', async () => {
    const lone = await applyCatalogue(knex, file(), asWritten);
    expect(lone.warnings.filter((warning) => warning.includes('no parent'))).toEqual([]);
    const another = file((draft) => draft.nodes.push({ name: 'another root' }));
    const { warnings } = await applyCatalogue(knex, another, asWritten);
    expect(warnings).toContainEqual(expect.stringMatching(/^2 nodes have no parent \(.*another root.*\)/));
    await knex('nodes').where({ name: 'another root' }).delete();
  });

  describe('the quorum', () => {
    const urls = ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://127.0.0.1:3', 'http://127.0.0.1:4'];
    const of = (endpoints: number, quorum: number | null | undefined, more: object = {}) =>
      file((draft) => Object.assign(draft.networks[0], { rpc_urls: urls.slice(0, endpoints), quorum, ...more }));
    const apply = (input: unknown) => applyCatalogue(knex, input, asWritten);
    const stored = async (): Promise<number> => (await knex('networks').where({ name: 'Net' }).first('quorum')).quorum;
    const risks = ({ warnings }: { readonly warnings: readonly string[] }): readonly string[] =>
      warnings.filter((warning) => warning.includes('quorum'));
    const lie = 'its lie completes payments that nobody paid';

    it.each([
      [1, 1],
      [3, 2],
      [4, 2],
    ])('of %d endpoints is %d where the file names none', async (endpoints, quorum) => {
      for (const omitted of [undefined, null]) {
        await apply(of(endpoints, omitted));
        expect(await stored()).toBe(quorum);
      }
    });

    it('of two endpoints has to be named, and the refusal says what each choice gives up', async () => {
      expect(await problemsOf(of(2, undefined))).toEqual([
        'catalogue.networks[0].quorum is required with two rpc_urls: with 2, an outage of either endpoint stops the ' +
          'network; with 1, a lie of either endpoint decides which payments count as paid',
      ]);
      for (const quorum of [1, 2]) {
        await apply(of(2, quorum));
        expect(await stored()).toBe(quorum);
      }
    });

    it('of one is warned of, except on the local stack and on retired networks', async () => {
      expect(risks(await apply(of(1, undefined)))).toEqual([
        `Net: its only endpoint decides alone (quorum 1): ${lie}; list three endpoints of different providers in the catalogue, then carat catalogue apply`,
      ]);
      expect(risks(await apply(of(3, 1)))).toEqual([
        `Net: each of its 3 endpoints decides alone (quorum 1): ${lie}; set quorum: 2 in the catalogue, then carat catalogue apply`,
      ]);
      expect(risks(await apply(of(2, 1)))).toEqual([
        `Net: each of its 2 endpoints decides alone (quorum 1): ${lie}; list a third endpoint and set quorum: 2 in the catalogue, then carat catalogue apply`,
      ]);
      const hosts = { rpc_urls: ['https://one.example/a', 'https://one.example/b', 'https://two.example'] };
      expect(risks(await apply(of(3, undefined, hosts)))).toEqual([
        `Net: 2 of its 3 endpoints have one host, which decides alone (quorum 2): ${lie}; list three endpoints of different providers in the catalogue, then carat catalogue apply`,
      ]);
      expect(risks(await apply(of(3, 1, { retired: true })))).toEqual([]);
      expect(risks(await apply(of(3, undefined)))).toEqual([]);
      const { url } = await createTestDatabase();
      const local = connect(url, { pool: 2 });
      const network = { ...demoNetwork, url: 'http://127.0.0.1:1' };
      expect(risks(await applyCatalogue(local, demoCatalogue([network]), asWritten))).toEqual([]);
      await local.destroy();
    });

    it('that a stored network gets by a new default or another file is told once', async () => {
      await apply(of(3, 1));
      // Two operators at once: who changes nothing tells nothing.
      let other: Awaited<ReturnType<typeof apply>> | undefined;
      const late = await applyCatalogue(knex, of(3, undefined), async (question) => {
        other ??= await apply(of(3, undefined));
        return asWritten(question);
      });
      expect([other!.quorums.length, late.quorums]).toEqual([1, []]);
      await apply(of(3, 1));
      expect((await apply(of(3, undefined))).quorums).toEqual([
        { network: 'Net', before: { quorum: 1, of: 3 }, now: { quorum: 2, of: 3 } },
      ]);
      expect((await apply(of(3, undefined))).quorums).toEqual([]);
      expect((await apply(of(1, undefined))).quorums).toEqual([
        { network: 'Net', before: { quorum: 2, of: 3 }, now: { quorum: 1, of: 1 } },
      ]);
      await apply(of(3, 2));
      expect((await apply(of(4, 2))).quorums).toEqual([]);
      const fewer = { network: 'Net', before: { quorum: 2, of: 4 }, now: { quorum: 2, of: 2 } };
      expect((await apply(of(2, 2))).quorums).toEqual([fewer]);
      await apply(file());
    });

    it('is warned of for networks that the file does not list', async () => {
      await apply(of(3, 1));
      const others = file((draft) => Object.assign(draft, { networks: [], currencies: [] }));
      expect(risks(await apply(others))).toEqual([expect.stringContaining('Net: each of its 3 endpoints')]);
      await apply(file());
    });

    it('counts an endpoint once: two entries that are one are refused, by place', async () => {
      const twice = (second: string) =>
        problemsOf(of(3, undefined, { rpc_urls: ['http://one.example:80', second, urls[2]] }));
      const same = ['catalogue.networks[0].rpc_urls[1] is the same endpoint as catalogue.networks[0].rpc_urls[0]'];
      for (const second of ['http://one.example:80', 'http://one.example/', 'http://ONE.example']) {
        expect(await twice(second)).toEqual(same);
      }
    });

    it.each(['http://[bad', 'http://a:99999', 'http://%zz@a'])(
      'of an endpoint that is none (%s) is refused, by place',
      async (bad) => {
        expect(await problemsOf(of(3, undefined, { rpc_urls: [bad, urls[1], urls[2]] }))).toEqual([
          'catalogue.networks[0].rpc_urls[0] must be a valid URL',
        ]);
      },
    );

    it('has one range in a refusal', async () => {
      const range = (most: number) => `catalogue.networks[0].quorum must be a whole number from 1 to ${most}`;
      expect(await problemsOf(of(3, 17))).toEqual([range(16)]);
      expect(await problemsOf(of(3, 4))).toEqual([range(3)]);
      expect(await problemsOf(of(0, 1))).toEqual([expect.stringContaining('rpc_urls')]);
    });
  });

  it('takes null for an omitted field, and an empty text for a mistake', async () => {
    const set = (value: unknown) =>
      file((draft) => {
        Object.assign(draft.networks[0], { id: value, max_inflight: value });
        draft.nodes[0].children[1].children = value;
      });
    expect((await applyCatalogue(knex, set(null), asWritten)).changes).toBe(0);
    expect(await problemsOf(set(''))).toEqual([
      'catalogue.nodes[0].children[1].children must be a list',
      'catalogue.networks[0].id must be a UUID',
      'catalogue.networks[0].max_inflight must be a whole number from 1 to 1000',
    ]);
  });

  it('writes nothing when the live network differs from the file', async () => {
    const changed = file((draft) => (draft.networks[0].confirmations = 7));
    const problems = await problemsOf(changed, () =>
      Promise.resolve({ genesisHash: null, problems: ['Net: endpoint 1 has the EIP-155 id 1, not 31337'] }),
    );
    expect(problems).toEqual(['Net: endpoint 1 has the EIP-155 id 1, not 31337']);
    expect((await watchedNetworks(knex))[0]?.confirmations).toBe(3);
  });

  it('refuses changes of values that payments and keys depend on', async () => {
    const other = `0x${'cd'.repeat(32)}`;
    expect(
      await problemsOf(
        file((draft) => {
          draft.nodes = [{ name: 'shop' }];
          draft.chains.push({ name: 'Side', first_root: firstRoot, platform_id: `0x${'02'.repeat(32)}` });
          Object.assign(draft.networks[0], { chain: 'Side', eip155: 5, operators: [upgrader], upgrader: operator });
        }),
        () => Promise.resolve({ genesisHash: other, problems: [] }),
      ),
    ).toEqual([
      'node shop is stored under another parent',
      'network Net is stored with the EIP-155 id 31337',
      `network Net has the genesis ${other}, but the stored one is ${genesis}`,
      `${upgrader} on network Net is stored as upgrader; a key keeps its role`,
      `${operator.toLowerCase()} on network Net is stored as operator; a key keeps its role`,
    ]);
  });

  it('refuses keys that have two roles of a network, and chains with the same contracts', async () => {
    const problems = await problemsOf(
      file((draft) => {
        draft.chains.push({ name: 'Side', first_root: firstRoot, platform_id: platformId, approval_delay: 2_592_001 });
        draft.chains.push({ name: 'Twin', first_root: firstRoot, platform_id: platformId });
        draft.networks[0].guardian = firstRoot;
        draft.networks.push({ ...draft.networks[0], name: 'B', eip155: 5, guardian: operator, root: upgrader });
        draft.networks.push({ ...draft.networks[0], name: 'C', eip155: 6, guardian: undefined, root: '0x12' });
      }),
    );
    const key = 'must be a separate key;';
    expect(problems).toEqual([
      'catalogue.chains[1].approval_delay must be a whole number from 0 to 2592000',
      'catalogue.networks[2].guardian must be an address in quotes',
      'catalogue.networks[2].root must be an address in quotes',
      `catalogue.networks[0].guardian ${key} ${firstRoot} is also in root`,
      `catalogue.networks[1].upgrader ${key} ${upgrader} is also in root`,
      `catalogue.networks[1].operators ${key} ${operator.toLowerCase()} is also in guardian`,
      'catalogue.chains[2].platform_id must differ from that of chain Main, which has the same first_root and approval_delay',
    ]);
  });

  it('refuses changes of values that determine addresses, and says why', async () => {
    const reason = 'which cannot change: the addresses of its registries and of all its wallets depend on it';
    expect(
      await problemsOf(
        file((draft) => {
          Object.assign(draft.chains[0], {
            first_root: newRoot,
            platform_id: `0x${'03'.repeat(32)}`,
            approval_delay: 0,
          });
        }),
      ),
    ).toEqual([
      `chain Main is stored with the first_root ${firstRoot}, ${reason}`,
      `chain Main is stored with the platform_id ${platformId}, ${reason}`,
      `chain Main is stored with the approval_delay 172800, ${reason}`,
    ]);
    const twin = { nodes: [], networks: [], chains: [{ name: 'T', first_root: firstRoot, platform_id: platformId }] };
    expect(await problemsOf(twin)).toEqual(['chain T must have another platform_id than the stored chain Main']);
  });

  it('lets no network join a chain whose root was handed over, unless it has a chain of its own', async () => {
    const more = (change: (draft: { [key: string]: unknown }) => void, root?: string) =>
      file((draft) => {
        draft.networks[0].root = root;
        draft.networks.push({ ...draft.networks[0], root: undefined, name: 'New', eip155: 77 });
        draft.currencies = [];
        change(draft.networks[1]);
      });
    const handedOver = [
      `network New cannot join the chain Main, whose root was handed over on Net: ${firstRoot} could make the same ` +
        `registry on New and be its root. Give New a new chain, with first_root: '${newRoot}' and a new platform_id`,
    ];
    expect(await problemsOf(more(() => {}, newRoot))).toEqual(handedOver);
    const alone = more((draft) => (draft.root = newRoot));
    expect((await problemsOf(alone))[0]).toContain('network New cannot join the chain Main');
    // Once the handover is stored, a file without the other network is refused as well.
    await applyCatalogue(
      knex,
      file((draft) => (draft.networks[0].root = newRoot)),
      asWritten,
    );
    expect((await watchedNetworks(knex))[0]).toMatchObject({ root: newRoot, platform: { firstRoot } });
    const silent = more(() => {}) as { networks: unknown[] };
    silent.networks.shift();
    expect(await problemsOf(silent)).toEqual(handedOver);
    const apart = more((draft) => (draft.chain = 'Later'), newRoot) as { chains: unknown[] };
    apart.chains.push({ name: 'Later', first_root: newRoot, platform_id: platformId });
    expect(await problemsOf(apart)).toEqual([]);
    await knex('networks')
      .where({ name: 'New' })
      .update({ chain_id: derivedId('chain', 'Main') });
    // An unused network may move, but not back into the closed chain.
    expect(await problemsOf(apart)).toEqual([]);
    expect(await problemsOf(more(() => {}, newRoot))).toEqual(handedOver);
    // An omitted line does not bring the dismissed root back; a mistake is undone by name.
    expect(await problemsOf(file())).toEqual([
      `network Net is stored with the root ${newRoot}, so the file must name its root`,
    ]);
    await applyCatalogue(
      knex,
      file((draft) => (draft.networks[0].root = firstRoot)),
      asWritten,
    );
  });

  it('refuses a handover of root while a network of the chain has no registry', async () => {
    const unprepared: NetworkCheck = () => Promise.resolve({ genesisHash: genesis, hasRegistry: false, problems: [] });
    expect(await problemsOf(file(), unprepared)).toEqual([]);
    expect(
      await problemsOf(
        file((draft) => (draft.networks[0].root = newRoot)),
        unprepared,
      ),
    ).toEqual([
      expect.stringMatching(
        /^network Net is not prepared, so it cannot stay in the chain Main, whose root was handed over/,
      ),
    ]);
  });

  it('refuses to move a network that wallets use', async () => {
    const world = await createWorld(knex, { platform: { firstRoot, id: hex(32), approvalDelay: 0n } });
    const { name, eip155 } = await knex('networks').where({ id: world.networkId }).first('name', 'eip155');
    const moved = file((draft) => {
      draft.networks[0] = { ...draft.networks[0], id: world.networkId, name, eip155: Number(eip155) };
      draft.currencies = [];
    });
    expect(await problemsOf(moved)).toEqual([
      `network ${name} is stored under another chain, and wallets of that chain use it`,
    ]);
  });

  it('accepts the example file', async () => {
    const text = fs.readFileSync(new URL('../../../install/catalogue.example.yaml', import.meta.url), 'utf8');
    const { nodes, currencies } = await applyCatalogue(knex, load(text), asWritten);
    expect(Object.keys(nodes)).toEqual(['platform', 'merchant']);
    expect(Object.keys(currencies)).toEqual(['ETH', 'USDC']);
  });

  it('shows buyers the network as in the file: its coin, by default that of its currency, and endpoints without credentials', async () => {
    const told = () => knex('networks').where({ name: 'Net' }).first('native_symbol', 'public_rpc_urls');
    const another = file((draft) => {
      draft.networks.push({ ...draft.networks[0], name: 'Another', eip155: 137 });
      draft.currencies.push({ symbol: 'POL', name: 'Coin', decimals: 18, tokens: [{ network: 'Another' }] });
    });
    await applyCatalogue(knex, another, asWritten);
    expect(await told()).toEqual({ native_symbol: 'ETH', public_rpc_urls: [] });
    expect(await knex('networks').where({ name: 'Another' }).first('native_symbol')).toEqual({ native_symbol: 'POL' });
    const public_rpc_urls = ['https://rpc.example', 'https://rpc.example/main'];
    const named = file((draft) => Object.assign(draft.networks[0], { native_symbol: 'TST', public_rpc_urls }));
    await applyCatalogue(knex, named, asWritten);
    expect(await told()).toEqual({ native_symbol: 'TST', public_rpc_urls });
    const secret = file((draft) =>
      Object.assign(draft.networks[0], { public_rpc_urls: ['https://user:key@rpc.example'] }),
    );
    expect(await problemsOf(secret)).toEqual([
      'catalogue.networks[0].public_rpc_urls must be a list of 0 to 16 http(s) URLs without credentials',
    ]);
  });
});
