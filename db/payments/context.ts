import type { Knex } from 'knex';
import { createSingleFlight } from '../../domain/tools/single-flight.ts';
import type { DealMode } from '../../domain/payment.ts';
import type { Platform } from '../../domain/platform.ts';
import { toPlatform } from '../catalogue/reads.ts';
import { dealModeOf } from '../intents/deals.ts';
import { takesOffers } from '../intents/conditions.ts';
import { knownContractColumns, lockedAddressOf, type KnownContract } from '../payouts/payouts.ts';
import { type Joined, prepared, type Statement } from '../query/statements.ts';
import { defaultWalletWhere } from '../wallets/defaults.ts';
import type { MemberRecord } from './read.ts';

/** The rows that a new payment refers to. Rows that are missing or out of the caller's reach are null. */
export interface PaymentContext {
  readonly nodeId: string | null;
  /** False when the request names a chain that does not exist. */
  readonly chainIsKnown: boolean;
  readonly network: {
    readonly id: string;
    readonly chainId: string;
    readonly eip155: number;
    readonly platform: Platform;
    readonly name: string;
    /** True when it takes no new payments. */
    readonly isRetired: boolean;
  } | null;
  readonly currency: { readonly id: string; readonly symbol: string; readonly decimals: number } | null;
  /** The currency on the network. An address of null is the native coin. */
  readonly token: { readonly address: string | null; readonly decimals: number } | null;
  readonly wallet: PaymentWallet | null;
  /** The known facts of the payee's address; a contract may keep the money. */
  readonly payee: KnownContract;
  /** The only payee allowed for web3 payments of the node on this chain, lower-case hex; null without a lock. */
  readonly lockedPayee: string | null;
  /** The named member, or the node's member with the named external_id. */
  readonly member: MemberRecord | null;
  /** The database's clock. */
  readonly now: Date;
}

/** The named or the default wallet, with its diamond on the network. */
export interface PaymentWallet {
  readonly id: string;
  readonly chainId: string;
  readonly address: string;
  readonly isActive: boolean;
  /** True once the diamond's code has the network's confirmations. */
  readonly diamondActive: boolean;
  /** How the deals of its new payments on the network come about; created while its diamond takes no offers. */
  readonly dealMode: DealMode;
}

/** The ids that a request names. */
export interface PaymentReferences {
  /** Node of the caller. Only it and the nodes below it may be named. */
  readonly scopeId: string;
  readonly nodeId: string;
  readonly chainId: string | null;
  readonly networkId: string;
  readonly currencyId: string;
  readonly walletId: string | null;
  /** Lower-case address; null for payments off the chain. */
  readonly payee: string | null;
  /** Uses the default wallet when the request names none. */
  readonly useDefaultWallet: boolean;
  readonly memberId: string | null;
  /** The external_id of an inline member. */
  readonly memberExternalId: string | null;
}

/** `eip155` is decimal text. */
type ContextRow = Joined<{
  readonly network_id: string;
  readonly chain_id: string;
  readonly eip155: string;
  readonly network_name: string;
  readonly first_root: string;
  readonly platform_id: string;
  readonly approval_delay: number;
}> &
  Joined<{ readonly currency_id: string; readonly currency_symbol: string; readonly currency_decimals: number }> &
  Joined<{
    readonly wallet_id: string;
    readonly wallet_chain_id: string;
    readonly wallet_address: string;
    readonly wallet_is_active: boolean;
  }> & {
    readonly node_id: string | null;
    readonly chain_is_known: boolean;
    readonly network_is_retired: boolean;
    readonly is_token: boolean;
    readonly is_diamond: boolean;
    readonly locked_payee: string | null;
    readonly token_address: string | null;
    /** Null where the currency is not on the network. */
    readonly token_decimals: number | null;
    readonly diamond_active: boolean;
    readonly deal_mode: DealMode;
    readonly member: MemberRecord | null;
    readonly now: Date;
  };

/**
 * `IS TRUE` keeps the planner from choosing an index for that condition: rows must be found by id, even before the first
 * ANALYZE.
 */
const statement: Statement = {
  name: 'payment_context',
  text: `
SELECT n.id AS node_id, $9::uuid IS NULL OR EXISTS (SELECT 1 FROM chains WHERE id = $9) AS chain_is_known, net.id AS network_id, net.chain_id, net.eip155,
  net.name AS network_name, net.retired_at IS NOT NULL AS network_is_retired,
  ch.first_root, ch.platform_id, ch.approval_delay, ${knownContractColumns('$10::text', 'net.chain_id')},
  ${lockedAddressOf('n.path', 'net.chain_id')} AS locked_payee,
  c.id AS currency_id, c.symbol AS currency_symbol, c.decimals AS currency_decimals,
  t.address AS token_address, t.decimals AS token_decimals,
  w.id AS wallet_id, w.chain_id AS wallet_chain_id, w.address AS wallet_address, w.is_active AS wallet_is_active,
  coalesce(d.status = 'active', false) AS diamond_active, CASE WHEN ${takesOffers} THEN ${dealModeOf('w', 'net.id')} ELSE 'created' END AS deal_mode, to_jsonb(m) AS member,
  clock_timestamp() AS now
FROM (VALUES (1)) AS one
LEFT JOIN nodes n ON n.id = $1 AND $2 = ANY (n.path)
LEFT JOIN networks net ON net.id = $3
LEFT JOIN chains ch ON ch.id = net.chain_id
LEFT JOIN currencies c ON c.id = $4
LEFT JOIN currency_tokens t ON t.currency_id = c.id AND t.network_id = net.id
LEFT JOIN LATERAL (
  ${defaultWalletWhere('$6::boolean AND f.network_id = net.id')}
) def ON true
LEFT JOIN wallets w ON w.id = coalesce($5::uuid, def.wallet_id) AND (w.node_id = ANY (n.path)) IS TRUE AND w.deleted_at IS NULL
LEFT JOIN diamonds d ON d.wallet_id = w.id AND d.network_id = net.id
LEFT JOIN LATERAL (
  SELECT * FROM members WHERE id = $7 AND (node_id = n.id) IS TRUE AND deleted_at IS NULL
  UNION ALL
  SELECT * FROM members WHERE node_id = n.id AND external_id = $8 AND deleted_at IS NULL
) m ON true`,
};

const toContext = (row: ContextRow): PaymentContext => ({
  nodeId: row.node_id,
  chainIsKnown: row.chain_is_known,
  network:
    row.network_id === null
      ? null
      : {
          id: row.network_id,
          chainId: row.chain_id,
          eip155: Number(row.eip155),
          platform: toPlatform(row),
          name: row.network_name,
          isRetired: row.network_is_retired,
        },
  currency:
    row.currency_id === null
      ? null
      : { id: row.currency_id, symbol: row.currency_symbol, decimals: row.currency_decimals },
  token: row.token_decimals === null ? null : { address: row.token_address, decimals: row.token_decimals },
  wallet:
    row.wallet_id === null
      ? null
      : {
          id: row.wallet_id,
          chainId: row.wallet_chain_id,
          address: row.wallet_address,
          isActive: row.wallet_is_active,
          diamondActive: row.diamond_active,
          dealMode: row.deal_mode,
        },
  payee: { isToken: row.is_token, isDiamond: row.is_diamond },
  lockedPayee: row.locked_payee,
  member: row.member,
  now: row.now,
});

/**
 * Reads all rows that a new payment refers to, in one statement. Equal requests share a read that begins after they arrive.
 */
export const createContextReader = (knex: Knex): ((references: PaymentReferences) => Promise<PaymentContext>) =>
  createSingleFlight(
    async (references: PaymentReferences) => {
      const [row] = await prepared<ContextRow>(knex, statement, [
        references.nodeId,
        references.scopeId,
        references.networkId,
        references.currencyId,
        references.walletId,
        references.useDefaultWallet,
        references.memberId,
        references.memberExternalId,
        references.chainId,
        references.payee,
      ]);
      if (row === undefined) throw new Error('The context of a payment is always one row');
      return toContext(row);
    },
    { late: 'next' },
  );
