import { MockActivityEnvironment } from '@temporalio/testing';
import { createDeploymentActivities, type StepOutcome } from '../../../activities/deployment.ts';
import { createDeployer } from '../../../chain/deploy/deployer.ts';
import { prepareNetwork } from '../../../chain/deploy/prepare.ts';
import { contracts } from '../../../chain/pure/contracts.ts';
import { releases, type Release } from '../../../chain/pure/releases.ts';
import { roleIds } from '../../../chain/pure/roles.ts';
import { createDeploymentStore } from '../../../db/wallets/deployment-store.ts';
import { findRun, requestUpdate } from '../../../db/wallets/request-deployment.ts';
import { ZERO_ADDRESS } from '../../../domain/deal.ts';
import type { DiamondInspection } from '../../../domain/version-check.ts';
import { eventually } from '../../support/eventually.ts';
import { quiet, registryCall, startGateway, type Gateway, type RunOptions, type Running } from './gateway.ts';

export type Cut = readonly [facet: string, action: 0 | 1 | 2, selectors: readonly string[]];

/** The steps of an update that went well. */
export const completed = ['preflight', 'deploy_facets', 'cut', 'verify', 'activate'].map((key) => `${key}:completed`);

export const [first] = releases;
export const sweep = contracts.deal.interface.getFunction('sweep')!.selector;
export const dealFacet = (of: Release) => of.facets.find(({ name }) => name === 'DealFacet')!;

/** Back to the first release, but for one function. */
export const older = (): Cut => {
  const { address, selectors } = dealFacet(first!);
  return [address, 1, selectors.filter((selector) => selector !== sweep)];
};

export const cutData = (...cuts: readonly Cut[]): string =>
  contracts.cut.interface.encodeFunctionData('diamondCut', [cuts, ZERO_ADDRESS, '0x']);

/**
 * Updates of one diamond, which begins with the first release, on a real chain with real lanes and a watcher. The steps are
 * run as the workflow runs them.
 */
export const startUpdates = async (keep: <Run extends Running>(run: Run) => Run) => {
  const gateway = await startGateway({ confirmations: 3, release: first });
  const { knex, rpc, network, keys, world } = gateway;
  const { walletId, networkId } = world;
  const roles = { operators: [keys.operator.address], upgraders: [keys.upgrader.address] };
  const deployer = createDeployer({ network, rpc, ...roles });
  const activities = createDeploymentActivities({
    deployments: createDeploymentStore(knex),
    deployer: () => Promise.resolve(deployer),
    networkTrouble: () => null,
    log: quiet,
    failpoint: () => {},
  });
  const upgraderLane = (options: RunOptions = {}): RunOptions => ({
    accountId: world.upgraderAccountId,
    signer: keys.upgrader,
    timing: { foreign: 500 },
    ...options,
  });

  /** One try of the next step; null without one. */
  const tryStep = async (): Promise<(StepOutcome & { key: string }) | null> => {
    const step = await activities.nextStep(walletId, networkId);
    if (step === null) return null;
    const trying = new MockActivityEnvironment().run(() => activities.runStep(walletId, networkId, step.id));
    return { key: step.key, ...((await trying) as StepOutcome) };
  };

  const updates = {
    gateway,
    deployer,
    upgraderLane,

    call: (who: keyof Gateway['keys'], name: string, ...args: unknown[]) =>
      gateway.send(keys[who], gateway.registry, registryCall(name, ...args)),

    /** The network gets the newest release. */
    releaseNewest: async (): Promise<void> => {
      await prepareNetwork({ network, rpc, rootSigner: keys.root, ...roles });
    },

    ask: async (): Promise<void> => {
      const run = await findRun(knex, walletId, networkId);
      await requestUpdate(knex, { walletId, networkId, integrationId: null }, { after: run?.id ?? null });
    },

    /** Runs steps until none is left, or until the cut waits. */
    play: async (until: 'end' | 'cut' = 'end'): Promise<string[]> => {
      const done: string[] = [];
      await eventually(async () => {
        const tried = await tryStep();
        if (tried === null) return true;
        if (tried.status === 'waiting') return until === 'cut' && tried.key === 'cut';
        done.push(`${tried.key}:${tried.status}`);
        return false;
      }, 30_000);
      return done;
    },

    update: async (): Promise<string[]> => {
      await updates.ask();
      return updates.play();
    },

    /** Watcher and both lanes at work. */
    work: (): void => {
      keep(gateway.startWatcher());
      keep(gateway.startLane());
      keep(gateway.startLane(upgraderLane()));
    },

    inspect: (): Promise<DiamondInspection> => deployer.inspect(world.diamondAddress),
    intents: (): Promise<{ id: string; purpose: string; state: string; outcome: string | null }[]> =>
      knex('tx_intents').whereNotNull('step_id').orderBy('id'),
    diamond: () => knex('diamonds').where({ wallet_id: walletId }).first(),
    failure: () => knex('deployment_steps').where({ status: 'failed' }).first('key', 'error_code', 'generation'),

    /** Somebody cuts the diamond behind Carat's back. */
    cutByHand: async (...cuts: readonly Cut[]): Promise<void> => {
      await gateway.send(keys.stranger, world.diamondAddress, cutData(...cuts));
    },

    /** The bytes of a call that comes before all others into a block. */
    signFirst: async (who: keyof Gateway['keys'], to: string, data: string): Promise<string> => {
      const nonce = Number(await rpc.call('eth_getTransactionCount', [keys[who].address, 'pending']));
      const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
      const request = { eip155: network.eip155, nonce, to, data, value: 0n, gasLimit: 1_000_000n, ...fees };
      return (await keys[who].sign(request)).raw;
    },
  };
  await updates.call('root', 'setRole', roleIds.upgrader, keys.stranger.address, true);
  return updates;
};

export type Updates = Awaited<ReturnType<typeof startUpdates>>;
