import { isAddress, toStoredAddress } from '../../chain/pure/address.ts';
import { diamondAddress } from '../../chain/pure/addresses.ts';
import { deleteDefaultsOf } from '../../db/wallets/defaults.ts';
import type { WalletModel } from '../../db/wallets/wallets.ts';
import { auditedTransaction, recordChange } from '../../db/audit/audited-transaction.ts';
import { releaseAddress } from '../../db/wallets/address.ts';
import { deleteWallet, lockWallet, updateWallet, type WalletChanges } from '../../db/wallets/wallets.ts';
import { lackedPermissions, type Caller } from '../../domain/access.ts';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { Handler, Handlers } from '../http/handler.ts';
import { toDefault } from './defaults.ts';
import type { WalletUpdate } from '../generated/openapi-types.ts';
import { toWallet } from './response.ts';
import type { WalletDeps } from './wallets.ts';

const walletNotFound = (): DomainError => new DomainError('wallet_not_found', 'There is no such wallet');

/** The address that a request gives the wallet, as it is stored; undefined if it gives none. */
const wantedAddress = ({ address }: WalletUpdate, caller: Caller): string | undefined => {
  if (address === undefined) return undefined;
  const [lacked] = lackedPermissions(caller, ['wallets.deploy']);
  if (lacked !== undefined) {
    throw new DomainError('permission_denied', `The integration lacks the permission ${lacked}, which address needs`);
  }
  if (!isAddress(address)) {
    throw invalidRequest({ path: '/body/address', message: 'must be an EVM address with a valid checksum' });
  }
  const stored = toStoredAddress(address);
  if (stored !== ZERO_ADDRESS) return stored;
  throw invalidRequest({ path: '/body/address', message: 'must not be the zero address' });
};

/** Changes of a wallet: its name, whether it takes payments, the diamond that it adopts, its end. */
export const createWalletChangeHandlers = ({
  knex,
  platform,
}: Pick<WalletDeps, 'knex' | 'platform'>): Pick<Handlers, 'updateWallet' | 'deleteWallet'> => {
  /** The fields that get another value than they have. */
  const changesOf = (stored: WalletModel, body: WalletUpdate, address: string | undefined): WalletChanges => ({
    ...(body.name === undefined || body.name === stored.name ? {} : { name: body.name }),
    ...(body.is_active === undefined || body.is_active === stored.is_active ? {} : { is_active: body.is_active }),
    ...(address === undefined || address === stored.address
      ? {}
      : { address, adopted: address !== diamondAddress(platform, stored.node_id, stored.id) }),
  });

  const update: Handler<'updateWallet'> = async ({ params, body, caller, audit }) => {
    const address = wantedAddress(body, caller);
    return auditedTransaction(knex, audit, async (trx) => {
      const answer = { status: 204 as const, body: null };
      const stored = await lockWallet(trx, caller.nodeId, params.id);
      if (stored === null) throw walletNotFound();
      const changes = changesOf(stored, body, address);
      if (Object.keys(changes).length === 0) return { answer, change: null };
      if (changes.address !== undefined) await releaseAddress(trx, stored, changes.address);
      const before = toWallet(stored);
      const after = toWallet(await updateWallet(trx, stored.id, changes));
      const change = { nodeId: stored.node_id, resourceId: stored.id, before, after };
      return { answer, change: { action: 'wallet.updated', ...change } };
    });
  };

  const remove: Handler<'deleteWallet'> = async ({ params, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const stored = await lockWallet(trx, caller.nodeId, params.id);
      if (stored === null) throw walletNotFound();
      for (const mapping of await deleteDefaultsOf(trx, stored.id)) {
        const change = { nodeId: mapping.node_id, resourceId: mapping.id, before: toDefault(mapping), after: null };
        await recordChange(trx, audit, { action: 'default.deleted', ...change });
      }
      await deleteWallet(trx, stored.id);
      const change = { nodeId: stored.node_id, resourceId: stored.id, before: toWallet(stored), after: null };
      return { answer: { status: 204 as const, body: null }, change: { action: 'wallet.deleted', ...change } };
    });

  return { updateWallet: update, deleteWallet: remove };
};
