import type { WaitingDetail } from '../../domain/payment.ts';

/** The remedy for each waiting reason; null: none, it ends by itself. */
export const remedies: Readonly<Record<WaitingDetail, string | null>> = {
  diamond_missing: "deploy the wallet's diamond on this network",
  diamond_updating: null,
  simulation_failed: 'read the alert simulation_failed: carat alerts --kind simulation_failed',
  network_paused: 'root unpauses the registry: carat registry unpause NETWORK',
  operator_revoked:
    "give the lane's key or the batcher its role back (carat role give), or replace the key (carat lane move)",
  operator_underfunded: "send coins to the lane's address: carat lane list shows it",
  fees_above_ceiling: 'wait, or raise max_fee_per_gas_gwei in the catalogue',
  lane_paused: 'stop the other user of the key, then carat lane resume NETWORK ADDRESS',
  key_missing: "give a worker a keystore with the lane's key, or replace the key (carat lane move)",
  signer_revoked: 'give a signer its role back: carat role give NETWORK signer ADDRESS',
  signing_stalled: 'read the failure of the workflow offers/… in the Temporal UI',
  network_unreachable: 'repair or add RPC endpoints in the catalogue: carat doctor shows each',
  endpoint_refuses:
    'read the alert endpoint_refuses, which has the words of the endpoint: carat alerts --kind endpoint_refuses',
  former_choice_open: null,
  words_unreadable: 'check endpoints, quorum and confirmations, as the alert words_unreadable says',
  outcome_unknown: 'repair the endpoints that the alert outcome_unknown names',
};
