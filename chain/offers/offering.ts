import type { NotifiedRun } from '../../domain/ports/chain-run.ts';
import type { Failpoint } from '../../domain/ports/failpoint.ts';
import type { Log } from '../../domain/ports/log.ts';
import {
  unreadRegistry,
  type OfferSigner,
  type OfferStore,
  type SignedOffer,
  type WantedOffers,
} from '../../domain/ports/offers.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import type { WaitingDetail } from '../../domain/payment.ts';
import { steadyClock } from '../../domain/tools/clock.ts';
import { createEpisode } from '../../domain/tools/episode.ts';
import { contracts } from '../pure/contracts.ts';
import { offerHash } from '../pure/deal-encoding.ts';
import { registryAddress } from '../pure/platform.ts';
import { roleIds } from '../pure/roles.ts';
import { agreedViews } from '../rpc/calls.ts';
import { RpcError } from '../rpc/error.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { repeatUnderLease } from '../run.ts';
import type { Signer } from '../signing/signer.ts';
import { measure } from '../../runtime/measures.ts';

/** Intervals in milliseconds. */
export interface OfferTiming {
  /** Between two reads of the registry while offered payments are open. */
  readonly roles: number;
  /** Time for which the registry may be unreadable before waiting payments show it. */
  readonly unreachable: number;
  /** Between two looks for payments without a notification. */
  readonly idle: number;
  /** Between two records that the run works. */
  readonly record: number;
  /** Between two looks for reasons that are over. */
  readonly clear: number;
}

const usual: OfferTiming = { roles: 5_000, unreachable: 10_000, idle: 2_000, record: 2_000, clear: 5_000 };

export interface OfferingDeps {
  readonly network: Pick<WatchedNetwork, 'id' | 'name' | 'eip155' | 'quorum' | 'platform'>;
  readonly rpc: Rpc;
  /** The signer of an address; null when this process does not hold its key. */
  readonly signerOf: (address: string) => Signer | null;
  readonly store: OfferStore;
  readonly timing?: Partial<OfferTiming>;
  readonly log: Log;
  readonly failpoint: Failpoint;
}

/** Signs the offers of one network. Two runs at once do no harm: both sign the same terms, and each offer is stored once. */
export interface Offering {
  /** Works until the deadline, or until the signal aborts. */
  run(options: NotifiedRun): Promise<void>;
}

/** Most payments signed between two turns of the event loop: fifty signatures take some 20 ms. */
const PART = 25;

/** Creates the run that signs the offers of a network. */
export const createOffering = (deps: OfferingDeps): Offering => ({
  async run(options) {
    const { network, store, log } = deps;
    const timing = { ...usual, ...deps.timing };
    const standing = createStanding(deps, timing);
    let recordedAt = -Infinity;
    let clearedAt = -Infinity;

    /** Writes a reason as long as it lasts, because payments arrive meanwhile, and looks now and then for one that another has left. */
    const show = async (detail: WaitingDetail | null | undefined): Promise<void> => {
      if (detail) await store.showOffersWait(network.id, detail);
      if (steadyClock.now() - clearedAt < timing.clear) return;
      if (detail === null) await store.showOffersWait(network.id, null);
      clearedAt = steadyClock.now();
    };

    const record = async (): Promise<void> => {
      if (standing.isUnreachable() !== false || steadyClock.now() - recordedAt < timing.record) return;
      await store.recordLook(network.id);
      recordedAt = steadyClock.now();
    };

    const look = async (): Promise<number> => {
      if (!(await store.isInUse(network.id))) return timing.idle;
      const pause = await sign();
      await record();
      return pause;
    };

    const sign = async (): Promise<number> => {
      const signers = await standing.read();
      const signer = chosen(deps, signers);
      await show(standing.obstacle(signers, signer));
      if (signer === null && signers.some(({ hasRole, isHeld }) => hasRole && isHeld))
        throw new Error('another process holds the key of a signer that has its role');
      if (signer === null || !standing.isUsable()) return timing.idle;
      // After a full part, more payments may lack offers.
      return (await signWanted(deps, signer)) === PART ? 0 : timing.idle;
    };
    await repeatUnderLease(options, look, (error) => {
      throw error;
    });
    log.debug('Offering has ended', { network: network.name });
  },
});

/** A key of this process that has its role. */
interface Chosen {
  readonly accountId: string;
  readonly signer: Signer;
}

const chosen = ({ signerOf }: OfferingDeps, signers: readonly OfferSigner[]): Chosen | null => {
  for (const { id, address, hasRole } of signers) {
    const signer = hasRole ? signerOf(address) : null;
    if (signer !== null) return { accountId: id, signer };
  }
  return null;
};

/** The state of the registry, as the quorum last reported it to this run or an earlier one. */
interface Standing {
  /** Reads it again when it is due. @returns the signers with the roles that they have */
  read(): Promise<readonly OfferSigner[]>;
  /** False before the first read of all runs, and while the registry is paused. An unreachable network leaves the last known value. */
  isUsable(): boolean;
  /** True once the network has given no usable response for some time; undefined before that, from the first failure on. */
  isUnreachable(): boolean | undefined;
  /** The reason why none of these signers signs; null: one does; undefined: not known, or another process is to sign. */
  obstacle(signers: readonly OfferSigner[], signer: Chosen | null): WaitingDetail | null | undefined;
}

const createStanding = ({ network, rpc, store, log }: OfferingDeps, timing: OfferTiming): Standing => {
  const trouble = createEpisode();
  let readAt = -Infinity;
  let failing: { readonly since: number; readonly as: WaitingDetail } | null = null;
  let isPaused: boolean | null = null;
  let hadSigners = true;

  const readRegistry = async (signers: readonly OfferSigner[]): Promise<void> => {
    const view = { to: registryAddress(network.platform), interface: contracts.registry.interface, name: 'roleState' };
    const states = (await agreedViews(
      rpc,
      network.quorum,
      signers.map(({ address }) => ({ ...view, args: [roleIds.signer, address] })),
    )) as (readonly [hasRole: boolean, isPaused: boolean] | undefined)[];
    isPaused = states[0]?.[1] === true;
    await store.recordRegistry(network.id, {
      isPaused,
      asked: signers.map(({ id }) => id),
      holders: signers.filter((_, index) => states[index]?.[0] === true).map(({ id }) => id),
    });
  };

  const isUnreachable = (): boolean | undefined => {
    if (failing === null) return false;
    return steadyClock.now() - failing.since >= timing.unreachable || undefined;
  };

  return {
    async read() {
      isPaused ??= await store.isPaused(network.id);
      const signers = await store.signers(network.id);
      if (signers.length === 0) {
        // Nobody learns any more whether those of before have their role.
        if (hadSigners) await store.recordRegistry(network.id, unreadRegistry);
        hadSigners = false;
        failing = null;
        return signers;
      }
      hadSigners = true;
      const isNew = failing === null && signers.some(({ isKnown }) => !isKnown);
      if (!isNew && steadyClock.now() - readAt < timing.roles) return signers;
      readAt = steadyClock.now();
      try {
        await readRegistry(signers);
        failing = null;
        trouble.ends(() => log.info('The roles of signers are known again', { network: network.name }));
        return await store.signers(network.id);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        failing = { since: failing?.since ?? steadyClock.now(), as: error.waiting };
        trouble.begins(() =>
          log.warn('The roles of signers cannot be read', { network: network.name, error: error.message }),
        );
        return signers;
      }
    },
    isUsable: () => isPaused === false,
    isUnreachable,
    obstacle(signers, signer) {
      if (signers.length === 0) return 'key_missing';
      if (isPaused) return 'network_paused';
      if (isPaused === false && signer !== null) return null;
      // Another process is to sign.
      if (isPaused === false && signers.some(({ hasRole, isHeld }) => hasRole && isHeld)) return undefined;
      if (isPaused === null || signers.some(({ isKnown }) => !isKnown))
        return isUnreachable() === true ? failing?.as : undefined;
      return signers.some(({ hasRole }) => hasRole) ? 'key_missing' : 'signer_revoked';
    },
  };
};

/** Signs and stores the offers of some payments. @returns the number of these payments */
const signWanted = async (deps: OfferingDeps, { accountId, signer }: Chosen): Promise<number> => {
  const { network, store, failpoint } = deps;
  const wanted = await store.wanted(network.id, PART);
  if (wanted.length === 0) return 0;
  const offers: SignedOffer[] = [];
  for (const payment of wanted) offers.push(...(await signEach(network.eip155, payment, signer)));
  failpoint('runOffers:before_save');
  await store.save(accountId, offers);
  measure('signed', { network: network.name, offers: offers.length });
  failpoint('runOffers:after_save');
  return wanted.length;
};

const signEach = (eip155: number, { paymentId, diamond, terms, ends }: WantedOffers, signer: Signer) =>
  Promise.all(
    ends.map(async (validUntil): Promise<SignedOffer> => {
      const signature = await signer.signDigest(offerHash(eip155, diamond, terms, validUntil));
      return { paymentId, validUntil, signature };
    }),
  );
