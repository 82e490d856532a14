import type { Config } from '../../runtime/config.ts';

/** The namespace, and the origin of the Temporal UI; empty when it is unknown. */
export type TemporalUi = Config<'temporalUi' | 'temporalNamespace'>;

/** A line that leads to the workflows of a list filter: an address of the UI, or the filter to enter there. */
export const workflowsText = ({ temporalUi, temporalNamespace }: TemporalUi, filter: string): string =>
  temporalUi === ''
    ? `filter of the Temporal UI: ${filter}`
    : `${temporalUi}/namespaces/${encodeURIComponent(temporalNamespace)}/workflows?query=${encodeURIComponent(filter)}`;
