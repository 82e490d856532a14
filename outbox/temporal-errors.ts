import { isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';

// An import does not see the names of this CommonJS module.
const { google, temporal } = proto;

/** gRPC status codes of the server, not of a command: cancelled, deadline exceeded, resource exhausted, unavailable. */
const serverTrouble: ReadonlySet<number> = new Set([1, 4, 8, 14]);

const RESOURCE_EXHAUSTED = 8;
const { ResourceExhaustedFailure } = temporal.api.errordetails.v1;
const { RESOURCE_EXHAUSTED_CAUSE_BUSY_WORKFLOW: BUSY } = temporal.api.enums.v1.ResourceExhaustedCause;

/** The read part of a gRPC error. */
interface GrpcError {
  readonly code: number;
  readonly metadata: { get(key: string): readonly unknown[] };
}

/** Finds the gRPC error among the causes of a client error. */
const grpcErrorOf = (error: unknown): GrpcError | undefined => {
  if (isGrpcServiceError(error)) return error;
  const cause = (error as { cause?: unknown }).cause;
  return cause === undefined ? undefined : grpcErrorOf(cause);
};

/** True when one workflow is too busy to take the call. Others are unaffected. */
export const isBusyWorkflow = (error: unknown): boolean => {
  const grpcError = grpcErrorOf(error);
  const [status] = grpcError?.code === RESOURCE_EXHAUSTED ? grpcError.metadata.get('grpc-status-details-bin') : [];
  if (!Buffer.isBuffer(status)) return false;
  return google.rpc.Status.decode(status).details.some(
    ({ type_url: type, value }) =>
      type?.endsWith('.ResourceExhaustedFailure') &&
      ResourceExhaustedFailure.decode(value ?? Buffer.of()).cause === BUSY,
  );
};

/** Cancelled, or deadline exceeded. */
const silence: ReadonlySet<number> = new Set([1, 4]);

/** True for a timeout, which does not tell whether the whole server is down or one workflow is locked. */
export const isSilence = (error: unknown): boolean => silence.has(grpcErrorOf(error)?.code ?? -1);

/** True when the whole server is unusable, so that every other command would fail as well. */
export const isServerTrouble = (error: unknown): boolean =>
  error instanceof NamespaceNotFoundError ||
  (serverTrouble.has(grpcErrorOf(error)?.code ?? -1) && !isBusyWorkflow(error));

/** Joins the messages of an error and its causes, because the message of Temporal's client names only the call. */
export const reasonOf = (error: unknown): string => {
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  return messages.join(': ');
};
