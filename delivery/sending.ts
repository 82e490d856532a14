import { createEncryption } from '../runtime/encryption.ts';
import type { WebhookHosts } from '../domain/webhook.ts';
import { createAgents } from './agent.ts';
import { createAttempt, type AttemptDeps } from './attempt.ts';
import { createBodies, type BodiesDeps } from './bodies.ts';
import type { InHandDeps } from './deliveries-in-hand.ts';

/** The store of a process's deliveries, its keys, and the hosts that it may call. */
export interface SendingDeps
  extends Pick<BodiesDeps, 'store' | 'checksum' | 'log'>, Pick<AttemptDeps, 'renew' | 'profile'> {
  readonly masterKey: Uint8Array;
  readonly webhookHosts: WebhookHosts;
}

/** What all loops of a process share that send from one store, and the function that ends its connections. */
export interface Sending extends Pick<InHandDeps, 'attempt' | 'underWay' | 'log'> {
  close(): void;
}

/** Creates the connections, bodies and attempts of a process. */
export const createSending = ({ masterKey, webhookHosts: hosts, ...deps }: SendingDeps): Sending => {
  const agents = createAgents({ hosts });
  const encryption = createEncryption(masterKey);
  return {
    attempt: createAttempt({ ...deps, agents, bodies: createBodies(deps), encryption }),
    underWay: new Set<string>(),
    log: deps.log,
    close: agents.close,
  };
};
