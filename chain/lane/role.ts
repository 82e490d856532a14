import type { ConditionAlert } from '../../domain/ports/alert.ts';
import { actOf, type KeyRole, type LaneAccount } from '../../domain/ports/lane.ts';

interface KeyOnNetwork extends Pick<LaneAccount, 'id' | 'address'> {
  readonly role: KeyRole;
  readonly network: string;
}

/** The alert for a key without its role, whose transactions would revert. */
export const roleMissing = ({ id, role, address, network }: KeyOnNetwork): ConditionAlert => ({
  kind: 'role_missing',
  subject: id,
  message: `The ${role} ${address} on ${network} may ${actOf(role)} nothing: ${role === 'operator' ? 'it or the batcher' : 'it'} lacks the role`,
  data: { role, address },
});
