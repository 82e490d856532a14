import type { Knex } from 'knex';
import type { LaneStore } from '../../domain/ports/lane.ts';
import type { Lease } from '../../domain/ports/lease.ts';
import { observe } from '../alerts/alerts.ts';
import { closeSatisfied, loadQueued } from '../intents/queue.ts';
import { recordWaiting } from '../intents/waiting.ts';
import { acquireLease, underLease } from '../query/lease.ts';
import {
  createdDiamonds,
  isWatched,
  loadAccount,
  needsFunds,
  pauseAccount,
  raiseLaneAlert,
  released,
} from './accounts.ts';
import { assignSlots } from './assign.ts';
import { forgetLimits, learnLimits } from './limits.ts';
import { endRestored, foreignDeals, loadRestored, takeOver } from './restored.ts';
import { showOnSlots } from './waiting.ts';
import { closeForeign, loadOpenSlots, recordMined, recordSends, saveAttempts } from './slots.ts';

/** The lane's store in PostgreSQL: intents, slots and attempts of one signer. Every write holds the lease. */
export const createLaneStore = (knex: Knex): LaneStore => {
  const held = <Result>(lease: Lease, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> =>
    underLease(knex, 'signer_accounts', lease, work);

  return {
    acquire: (accountId) => acquireLease(knex, 'signer_accounts', accountId),
    account: ({ id }) => loadAccount(knex, id),
    needsFunds: ({ id }) => needsFunds(knex, id),
    isWatched: ({ id }) => isWatched(knex, id),
    queued: ({ id }, limit, aside) => loadQueued(knex, id, limit, aside),
    released: ({ id }, diamonds) => released(knex, id, diamonds),
    openSlots: ({ id }) => loadOpenSlots(knex, id),
    assign: (lease, chainNonce, plans) => held(lease, (trx) => assignSlots(trx, lease.id, chainNonce, plans)),
    saveAttempts: (lease, attempts) => held(lease, (trx) => saveAttempts(trx, attempts)),
    learn: (lease, limits, how) => held(lease, (trx) => learnLimits(trx, lease.id, limits, how)),
    forget: (lease, names) => held(lease, (trx) => forgetLimits(trx, lease.id, names)),
    created: ({ id }) => createdDiamonds(knex, id),
    satisfied: (lease, intentIds) => held(lease, (trx) => closeSatisfied(trx, lease.id, intentIds)),
    restored: ({ id }) => loadRestored(knex, id),
    foreignDeals: ({ id }, deals) => foreignDeals(knex, id, deals),
    endRestored: (lease) => held(lease, (trx) => endRestored(trx, lease.id, 'unneeded')),
    takeOver: (lease, taken, alert) =>
      held(lease, async (trx) => {
        await takeOver(trx, lease.id, taken);
        return raiseLaneAlert(trx, lease.id, alert);
      }),
    pause: (lease, detail, alert) => held(lease, (trx) => pauseAccount(trx, lease.id, detail, alert)),
    alert: ({ id }, alert) => raiseLaneAlert(knex, id, alert),
    observe: async ({ id }, looked, holding) => observe(knex, looked, holding, (await loadAccount(knex, id)).networkId),

    recordSends: async (lease, results) => {
      if (results.length > 0) await held(lease, (trx) => recordSends(trx, results));
    },
    recordMined: async (lease, mined) => {
      if (mined.length > 0) await held(lease, (trx) => recordMined(trx, lease.id, mined));
    },
    closeForeign: (lease, slotId, block) => held(lease, (trx) => closeForeign(trx, lease.id, slotId, block)),
    showOnSlots: (lease, reason, slotIds) => showOnSlots(lease.id, reason, slotIds, (part) => held(lease, part)),
    recordWaiting: async (lease, intentIds, detail) => {
      if (intentIds.length > 0) await held(lease, (trx) => recordWaiting(trx, lease.id, intentIds, detail));
    },
  };
};
