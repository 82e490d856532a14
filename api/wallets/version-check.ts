import type { Knex } from 'knex';
import { checksum } from '../../chain/pure/address.ts';
import { assertInUse } from '../../db/catalogue/reads.ts';
import type { WalletModel } from '../../db/wallets/wallets.ts';
import type { InspectedDiamond, Inspect } from '../../domain/version-check.ts';
import type { UpdatePlan, VersionCheck } from '../generated/openapi-types.ts';
import { ApiError } from '../errors/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { walletOnNetwork } from './reach.ts';

/** Value of `Retry-After`, in seconds. */
const RETRY_AFTER_S = 5;

/**
 * Inspects the wallet's diamond on a network.
 * @throws ApiError unavailable when the inspection does not finish in time
 */
export const inspected = async (
  inspect: Inspect,
  wallet: WalletModel,
  networkId: string,
): Promise<InspectedDiamond> => {
  const { id: walletId, node_id: nodeId, address } = wallet;
  const checked = await inspect({ walletId, nodeId, networkId, address });
  if (checked !== null) return checked;
  throw new ApiError('unavailable', 'The diamond could not be inspected; try again', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
};

const toVersionCheck = ({ checkedAt, blockNumber, contracts }: InspectedDiamond): VersionCheck => ({
  any_update_available: contracts.some((contract) => contract.update_available),
  checked_at: checkedAt,
  block_number: blockNumber,
  contracts: contracts.map(({ selectors: { add, replace, remove }, ...contract }) => ({
    ...contract,
    address: checksum(contract.address),
    selectors: { add: [...add], replace: [...replace], remove: [...remove] },
  })),
});

/** Renders the answer of a dry run. */
export const toUpdatePlan = (checked: InspectedDiamond): UpdatePlan => {
  const { cut } = checked;
  const planned = cut && {
    to: checksum(cut.to),
    data: cut.data,
    expected_loupe_hash: cut.expectedLoupeHash,
    cuts: cut.cuts.map(({ facet, action, selectors }) => ({
      facet: checksum(facet),
      action,
      selectors: [...selectors],
    })),
  };
  return { ...toVersionCheck(checked), cut: planned };
};

/** `GET /api/v1/wallets/{id}/deploy/version-check`: compares a diamond with its network's release. */
export const createVersionCheckHandlers = ({ knex }: { readonly knex: Knex }): Pick<Handlers, 'checkVersion'> => ({
  checkVersion: async ({ params, query, caller, inspect }) => {
    const named = { place: query, where: 'query' } as const;
    const { wallet, networkId } = await walletOnNetwork(knex, caller, params.id, named);
    await assertInUse(knex, networkId);
    return { status: 200, body: toVersionCheck(await inspected(inspect, wallet, networkId)) };
  },
});
