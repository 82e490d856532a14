import type { DeploymentStep } from '../../api/generated/openapi-types.ts';
import { contracts } from '../../chain/pure/contracts.ts';
import { release, releases } from '../../chain/pure/releases.ts';
import { createCaratClient } from '../../client/client.ts';
import type { CaratOperations } from '../../client/operations.ts';
import { rpc as ask } from '../../tools/stack/chain.ts';
import { together } from '../api/support/answers.ts';
import { eventually } from '../support/eventually.ts';
import { expectNonces } from '../support/invariants.ts';
import { createProduct, type Product } from '../support/product.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { releaseNewest } from '../support/upgrade.ts';

/*
 * A diamond is deployed, and then updated; eight ask for it at once, again and again, while one worker after the other dies
 * (SIGKILL) in every step, and while the transaction is sent.
 */

/** The death of each worker: its step, and the point in it. The last worker of each kind completes the run. */
const deaths = {
  // More of a deployment's are in kill-worker.test.ts.
  deploy: [
    ['deploy_facets', 'runStep:after_record:2'],
    ['deploy_diamond, once its call is requested', 'runStep:after_effect'],
    ['activate', 'runStep:after_record:3'],
  ],
  update: [
    ['preflight', 'runStep:after_effect'],
    ['deploy_facets', 'runStep:after_record:2'],
    ['cut, once it is wanted', 'runStep:after_effect'],
    ['cut, once it is sent', 'runLane:after_send'],
    ['verify', 'runStep:after_record:2'],
    ['activate', 'runStep:after_record'],
  ],
} as const;
const kinds = ['deploy', 'update'] as const;

let product: Product;
let shop: Shop;
let carat: CaratOperations;
const asked: Promise<unknown>[] = [];

beforeAll(async () => {
  product = await createProduct({ release: releases[0] });
  await product.startApi();
  shop = await openShop(product);
  const { api: url, admin } = product.dev;
  carat = createCaratClient({ url, apiKey: admin.api_key, secret: admin.secret });
});

afterAll(async () => {
  shop?.close();
  await product?.stop();
});

const request: Record<(typeof kinds)[number], () => Promise<DeploymentStep>> = {
  deploy: () => carat.deployWallet(shop.wallet.id, place()),
  update: async () => (await carat.updateDiamond(shop.wallet.id, place())) as DeploymentStep,
};
const place = () => ({ node_id: product.dev.nodes.merchant!, network_id: product.dev.networks.alpha!.id });
const tip = async () => Number(await ask(product.dev.networks.alpha!.rpc, 'eth_blockNumber', []));

describe.each(kinds)('%s', (kind) => {
  beforeAll(async () => {
    if (kind === 'deploy') return;
    await releaseNewest(product, 'alpha');
    const released = await tip();
    await eventually(async () => (await tip()) > released + 3);
  });

  it.each(deaths[kind])('a worker dies in %s (%s)', async (_step, boundary) => {
    // The first requests inspect the diamond, and may have to wait for a living worker.
    const ask = async (): Promise<void> => void asked.push(together(8, request[kind]));
    await expect(product.loseWorkerAt(boundary, ask)).resolves.toBeUndefined();
  });
});

it('the kills leave one diamond with one transaction for each kind, none in vain', async () => {
  const { knex } = product;
  await Promise.all(asked);
  expect(await knex('deployments').orderBy('id').select('kind', 'status')).toEqual(
    kinds.map((kind) => ({ kind, status: 'completed' })),
  );
  // The next request finds nothing to do.
  await product.startWorker();
  await eventually(async () => (await knex('outbox').whereNull('delivered_at')).length === 0);
  expect(await together(8, request.update)).toEqual(Array(8).fill(expect.objectContaining({ status: 'completed' })));
  expect(await knex('diamonds')).toMatchObject([{ status: 'active', release: release.version, updating: false }]);
  const steps = await knex('deployment_steps').select('status', 'generation');
  expect(steps).toEqual(Array(10).fill({ status: 'completed', generation: 1 }));
  const sent = await knex('tx_intents as i')
    .join('tx_slots as s', 's.id', 'i.slot_id')
    .whereNotNull('step_id')
    .orderBy('s.nonce');
  expect(sent).toMatchObject([
    { purpose: 'create_diamond', receipt_status: 1 },
    { purpose: 'diamond_cut', receipt_status: 1 },
  ]);
  expect(await knex('tx_intents').whereNotNull('step_id')).toHaveLength(2);
  // Its creation emits a cut, too.
  const cuts = await ask(product.dev.networks.alpha!.rpc, 'eth_getLogs', [
    { fromBlock: '0x0', topics: [contracts.cut.interface.getEvent('DiamondCut')!.topicHash] },
  ]);
  expect(cuts).toHaveLength(2);
  expect(await knex('alerts').where({ kind: 'cut_not_asked_for' })).toEqual([]);
  await expectNonces(product, 'alpha');
});
