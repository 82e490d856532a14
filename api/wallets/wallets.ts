import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { isAddress, toStoredAddress } from '../../chain/pure/address.ts';
import { diamondAddress } from '../../chain/pure/platform.ts';
import { auditedTransaction, recordChange } from '../../db/audit/audited-transaction.ts';
import { chainOfNetwork, platformOfChain } from '../../db/catalogue/reads.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import {
  mergedModes,
  requireOffers,
  deleteWallet,
  findWallet,
  insertWallet,
  listWallets,
  lockWallet,
  freeAddress,
  updateWallet,
  type WalletChanges,
  type WalletModel,
} from '../../db/wallets/wallets.ts';
import { deleteDefaultsOf } from '../../db/wallets/defaults.ts';
import { lackedPermissions, type Caller } from '../../domain/access.ts';
import { changed, created, deleted, differences, withoutBody } from '../../domain/audit.ts';
import { ZERO_ADDRESS } from '../../domain/deal.ts';
import { DomainError, found, invalidRequest } from '../../domain/errors.ts';
import type { WalletUpdate } from '../generated/openapi-types.ts';
import type { HandlerDeps, Handlers } from '../http/handler.ts';
import { pageBody, pageRequest } from '../request/page.ts';
import { toDefault, toWallet } from './response.ts';

/** @throws DomainError permission_denied when the caller may not deploy wallets, which this change needs as well */
const requireDeploy = (caller: Caller, change: string): void => {
  const [lacked] = lackedPermissions(caller, ['wallets.deploy']);
  if (lacked === undefined) return;
  throw new DomainError('permission_denied', `The integration lacks the permission ${lacked}, which ${change} needs`);
};

/** The requested address in its stored form; undefined when the request has none. */
const wantedAddress = ({ address }: WalletUpdate, caller: Caller): string | undefined => {
  if (address === undefined) return undefined;
  requireDeploy(caller, 'a change of address');
  if (!isAddress(address)) {
    throw invalidRequest({ path: '/body/address', message: 'must be an EVM address with a valid checksum' });
  }
  const stored = toStoredAddress(address);
  if (stored !== ZERO_ADDRESS) return stored;
  throw invalidRequest({ path: '/body/address', message: 'must not be the zero address' });
};

/** The deal modes of the wallet after the request; the present ones if the request names none. */
const modesOf = async (
  trx: Knex.Transaction,
  stored: WalletModel,
  { deal_modes: wanted }: WalletUpdate,
): Promise<WalletModel['deal_modes']> => {
  if (wanted === undefined) return stored.deal_modes;
  const ids = wanted.map(({ network_id: networkId }) => networkId.toLowerCase());
  for (const [index, { network_id: networkId, mode }] of wanted.entries()) {
    const path = `/body/deal_modes/${index}/network_id`;
    if (ids.indexOf(networkId.toLowerCase()) < index) {
      throw invalidRequest({ path, message: 'must be named once' });
    }
    const isOfChain =
      found(await chainOfNetwork(trx, networkId), 'network', { path, message: 'is unknown' }) === stored.chain_id;
    if (isOfChain && mode === 'offered') await requireOffers(trx, stored, { networkId, path });
    if (isOfChain) continue;
    throw invalidRequest({ path, message: "must be a network of the wallet's chain" });
  }
  return mergedModes(stored.deal_modes, Object.fromEntries(wanted.map(({ mode }, index) => [ids[index], mode])));
};

/** A wallet whose address does not derive from its node and id adopts the diamond there. */
const changesOf = async (
  trx: Knex.Transaction,
  stored: WalletModel,
  body: WalletUpdate,
  address: string | undefined,
  caller: Caller,
): Promise<WalletChanges> => {
  const { name, is_active } = body;
  const changes: WalletChanges = differences(stored, { name, is_active, address });
  if (changes.address === undefined) {
    const modes = await modesOf(trx, stored, body);
    return isDeepStrictEqual(modes, stored.deal_modes) ? changes : { ...changes, deal_modes: modes };
  }
  // A diamond at another address has still to be deployed.
  if (body.deal_modes !== undefined) {
    throw invalidRequest({ path: '/body/deal_modes', message: 'must not change together with the address' });
  }
  const platform = found(await platformOfChain(trx, stored.chain_id), 'chain');
  const adopted = changes.address !== diamondAddress(platform, stored.node_id, stored.id);
  return { ...changes, deal_modes: {}, adopted, adopted_by: adopted ? caller.nodeId : null };
};

/** Wallets of a node: their names, their addresses, and whether they take payments. */
export const createWalletHandlers = ({
  knex,
}: HandlerDeps): Pick<Handlers, 'createWallet' | 'listWallets' | 'getWallet' | 'updateWallet' | 'deleteWallet'> => ({
  createWallet: async ({ body: { node_id, chain_id, name }, caller, audit }) => {
    const node = found(await findNode(knex, caller.nodeId, node_id), 'node');
    const platform = found(await platformOfChain(knex, chain_id), 'chain');
    const id = randomUUID();
    const wallet = { id, node_id: node.id, chain_id, name, address: diamondAddress(platform, node.id, id) };
    return auditedTransaction(knex, audit, async (trx) => created('wallet', toWallet(await insertWallet(trx, wallet))));
  },

  listWallets: async ({ query, caller }) => {
    const request = pageRequest(query);
    const node = found(await findNode(knex, caller.nodeId, query.node_id), 'node');
    const filter = { nodeId: node.id, includeDescendants: query.include_descendants };
    return { status: 200, body: pageBody(await listWallets(knex, filter, request), request, toWallet) };
  },

  getWallet: async ({ params, caller }) => ({
    status: 200,
    body: toWallet(found(await findWallet(knex, caller.nodeId, params.id), 'wallet')),
  }),

  updateWallet: async ({ params, body, caller, audit }) => {
    const address = wantedAddress(body, caller);
    if (body.deal_modes !== undefined) requireDeploy(caller, 'a change of deal modes');
    return auditedTransaction(knex, audit, async (trx) => {
      const stored = found(await lockWallet(trx, caller.nodeId, params.id), 'wallet');
      const changes = await changesOf(trx, stored, body, address, caller);
      if (Object.keys(changes).length === 0) return withoutBody(null);
      if (changes.address !== undefined) await freeAddress(trx, stored, changes.address);
      const before = toWallet(stored);
      return withoutBody(changed('wallet.updated', before, toWallet(await updateWallet(trx, stored.id, changes))));
    });
  },

  deleteWallet: ({ params, caller, audit }) =>
    auditedTransaction(knex, audit, async (trx) => {
      const stored = found(await lockWallet(trx, caller.nodeId, params.id), 'wallet');
      for (const mapping of await deleteDefaultsOf(trx, stored.id)) {
        await recordChange(trx, audit, changed('default.deleted', toDefault(mapping), null));
      }
      await deleteWallet(trx, stored.id);
      return deleted('wallet', toWallet(stored));
    }),
});
