import { createRequire } from 'node:module';
import { isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';
import type * as Proto from '@temporalio/proto';

// The names of this CommonJS module are not seen by an import.
const { google, temporal } = createRequire(import.meta.url)('@temporalio/proto') as typeof Proto;

/** gRPC status codes that speak of the server and not of the command. */
const serverTrouble: ReadonlySet<number> = new Set([1, 4, 8, 14]);

const RESOURCE_EXHAUSTED = 8;
const { ResourceExhaustedFailure } = temporal.api.errordetails.v1;
const { RESOURCE_EXHAUSTED_CAUSE_BUSY_WORKFLOW: BUSY } = temporal.api.enums.v1.ResourceExhaustedCause;

/** What is asked of an answer of the server. */
interface Answer {
  readonly code: number;
  readonly metadata: { get(key: string): readonly unknown[] };
}

/** What the server answered, below the errors of the client. */
const answerOf = (error: unknown): Answer | undefined => {
  if (isGrpcServiceError(error)) return error;
  const cause = (error as { cause?: unknown }).cause;
  return cause === undefined ? undefined : answerOf(cause);
};

/** True when one workflow has too much to do to be told anything now. Others notice nothing. */
export const isBusyWorkflow = (error: unknown): boolean => {
  const answer = answerOf(error);
  const [status] = answer?.code === RESOURCE_EXHAUSTED ? answer.metadata.get('grpc-status-details-bin') : [];
  if (!Buffer.isBuffer(status)) return false;
  return google.rpc.Status.decode(status).details.some(
    ({ type_url: type, value }) =>
      type?.endsWith('.ResourceExhaustedFailure') &&
      ResourceExhaustedFailure.decode(value ?? Buffer.of()).cause === BUSY,
  );
};

/** Cancelled, or too late. */
const silence: ReadonlySet<number> = new Set([1, 4]);

/** True when nothing was answered in time: of the server as a whole, or of one workflow that is locked, that does not tell. */
export const isSilence = (error: unknown): boolean => silence.has(answerOf(error)?.code ?? -1);

/** True when the server as a whole can not be used now, so that every other command would fail as well. */
export const isServerTrouble = (error: unknown): boolean =>
  error instanceof NamespaceNotFoundError || (serverTrouble.has(answerOf(error)?.code ?? -1) && !isBusyWorkflow(error));
