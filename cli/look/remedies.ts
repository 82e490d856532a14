import { waiting } from '../../domain/alerts/waiting.ts';
import type { WaitingDetail } from '../../domain/payment.ts';

/** A text of the documents for a terminal: without the marks of code, and without links to pages. */
const plain = (text: string): string => text.replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '').replaceAll('`', '');

/**
 * The remedy for a waiting reason; null: none, it ends by itself.
 * @param lane the network's name, and the address of the lane
 */
export const remedyFor = (
  detail: WaitingDetail,
  {
    network = 'NETWORK',
    address = 'ADDRESS',
  }: { readonly network?: string; readonly address?: string | undefined } = {},
): string | null => {
  const { remedy } = waiting[detail];
  return remedy === null ? null : plain(remedy).replaceAll('NETWORK', network).replaceAll('ADDRESS', address);
};
