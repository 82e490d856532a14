/**
 * Called at the boundaries of an activity: `…:before` its effect, `…:after_effect` when the effect is there and nobody
 * knows it, `…:after_record` when its answer is on the way (`after_answer`: the failpoint waits until it is there). Does
 * nothing, unless a failpoint test wants the process killed at that point.
 */
export type Failpoint = (point: string, when?: 'now' | 'after_answer') => void;
