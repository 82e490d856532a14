import type { DeploymentProblem } from '../../domain/ports/deployment.ts';
import type { WatchedNetwork } from '../../domain/ports/watcher.ts';
import type { ViewCall } from '../rpc/calls.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** A network, and the keys that must have their roles on it. */
export interface DeployerDeps {
  readonly network: Pick<
    WatchedNetwork,
    'eip155' | 'confirmations' | 'quorum' | 'name' | 'platform' | 'root' | 'guardian'
  >;
  readonly rpc: Rpc;
  /** Keys of this network that must have their roles, in addition to a batcher and the guardian. */
  readonly operators?: readonly string[];
  readonly upgraders?: readonly string[];
}

/** The context of every read of a network. */
export interface Inspection extends Required<DeployerDeps> {
  /** A read of the registry. */
  readonly ask: (name: string, ...args: unknown[]) => ViewCall;
  readonly problem: (code: string, message: string) => DeploymentProblem;
}
