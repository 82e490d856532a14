import type { Alert } from '../../domain/ports/alert.ts';
import type { LaneAccount } from '../../domain/ports/lane.ts';

interface KeyOnNetwork extends Pick<LaneAccount, 'id' | 'role' | 'address'> {
  /** Its name. */
  readonly network: string;
}

/** The alert of a key that may not act: its transactions would revert. */
export const roleMissing = ({ id, role, address, network }: KeyOnNetwork): Alert => ({
  key: `role_missing:${id}`,
  kind: 'role_missing',
  message: `The ${role} ${address} on ${network} may send nothing: ${role === 'operator' ? 'it or the batcher' : 'it'} lacks the role`,
  data: { role, address },
});
