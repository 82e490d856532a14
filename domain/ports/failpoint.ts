/** The boundaries at which a test of recovery may interrupt a process; it may also name them from outside. */
export type FailpointName =
  | `${'enqueueDeals' | 'expireOffchain' | 'decideCancel' | 'sendAgain' | 'runStep'}:${'before' | 'after_effect' | 'after_record'}`
  | `runLane:${'before' | 'after'}_${'assign' | 'send' | 'mined'}`
  | 'runLane:before_save'
  | 'runLane:after_record'
  | `runWatcher:${'before' | 'after'}_${'commit' | 'judge'}`;

/**
 * Called at those boundaries: before an effect, after it while only this process knows of it, and when its record is on
 * the way (`after_answer`: the failpoint waits until the activity's answer is there). Does nothing, unless a test wants
 * the process killed or the call to fail at that point.
 */
export type Failpoint = (point: FailpointName, when?: 'now' | 'after_answer') => void;
