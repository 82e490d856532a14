import type { ContractCall } from '../../../domain/ports/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import type { Gateway } from './gateway.ts';

/** Wants facets of a run of the wallet on the chain. */
export const wantFacets = async (gateway: Gateway, calls: Readonly<Record<string, ContractCall>>) => {
  const { upgraderAccountId: accountId, walletId, networkId } = gateway.world;
  const [run] = await gateway
    .knex('deployments')
    .insert({ wallet_id: walletId, network_id: networkId, kind: 'update', status: 'completed' })
    .returning('id');
  const [step] = await gateway
    .knex('deployment_steps')
    .insert({ deployment_id: run.id, seq: 0, key: 'deploy_facets' })
    .returning('id');
  for (const [name, call] of Object.entries(calls)) {
    await gateway.knex('tx_intents').insert({
      idempotency_key: `step:${step.id}:g1:${name}`,
      account_id: accountId,
      purpose: 'deploy_facet',
      step_id: step.id,
      to_address: call.to,
      data: Buffer.from(call.data.slice(2), 'hex'),
    });
  }
  const upgrader = { accountId, signer: gateway.keys.upgrader };
  const settled = () =>
    eventually(async () => {
      const intents = await gateway.knex('tx_intents').where({ step_id: step.id }).orderBy('idempotency_key');
      return intents.every(({ state }) => state === 'settled') && intents;
    }, 30_000);
  return { upgrader, settled };
};
