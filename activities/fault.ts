/**
 * Called at the boundaries of an activity: `…:before` its effect, `…:after_effect` when the effect is there and nobody
 * knows it, `…:after_record` when the activity returns. Does nothing, unless a fault test wants the process killed there.
 */
export type Fault = (point: string) => void;
