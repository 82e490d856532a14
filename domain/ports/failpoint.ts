/** The boundaries at which a test of recovery may interrupt a process, also from outside. */
export type FailpointName =
  | `${'enqueueDeals' | 'expireOffchain' | 'decideCancel' | 'sendAgain' | 'runStep'}:${'before' | 'after_effect' | 'after_record'}`
  | `runLane:${'before' | 'after'}_${'assign' | 'send' | 'mined'}`
  | 'runLane:before_save'
  | 'runLane:after_record'
  | `runOffers:${'before' | 'after'}_save`
  | `runWatcher:${'before' | 'after'}_${'commit' | 'judge'}`;

/**
 * Called at these boundaries: before an effect, after it while only this process knows of it, and after its record
 * (`after_answer`: waits until the activity's result has arrived). A no-op, unless a test kills the process or fails the call
 * at that point.
 */
export type Failpoint = (point: FailpointName, when?: 'now' | 'after_answer') => void;
