import type { Knex } from 'knex';
import { hasActiveDiamond } from '../../db/wallets/deployments.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Inspect } from '../../domain/version-check.ts';
import { ApiError } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { walletOnNetwork } from './reach.ts';
import { inspected, toUpdatePlan } from './version-check.ts';

/** `POST /api/v1/wallets/{id}/update`: wants the wallet's diamond as the network's release has it. */
export const createUpdateHandlers = ({
  knex,
  inspect,
}: {
  readonly knex: Knex;
  readonly inspect: Inspect;
}): Pick<Handlers, 'updateDiamond'> => ({
  updateDiamond: async ({ params, query, body, caller }) => {
    const { wallet, networkId } = await walletOnNetwork(knex, caller, params.id, { place: body, where: 'body' });
    if (!(await hasActiveDiamond(knex, wallet.id, networkId))) {
      throw new DomainError('diamond_not_active', 'The wallet has no diamond on this network that was ever active');
    }
    if (query.dry_run) return { status: 200, body: toUpdatePlan(await inspected(inspect, wallet, networkId)) };
    throw new ApiError('unavailable', 'Only dry runs are answered for now');
  },
});
