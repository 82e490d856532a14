import { problems, type ProblemCode } from '../../../api/errors/problems.ts';
import type { ResolvedOperation } from '../../../tools/build/openapi.ts';
import type { WireAnswer, WireRequest } from './wire-request.ts';

/** Statuses of bytes that are no HTTP request; their code is `invalid_request`. */
const breaches = [400, 408, 431];
const routeLevel = ['route_not_found', 'method_not_allowed'];

const patterns = new Map<string, RegExp>();
const patternOf = ({ path }: ResolvedOperation): RegExp => {
  const source = `^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`;
  const pattern = patterns.get(path) ?? new RegExp(source);
  patterns.set(path, pattern);
  return pattern;
};

/** The operations that a target leads to, whatever its method. */
const operationsAt = (operations: readonly ResolvedOperation[], target: string): ResolvedOperation[] => {
  const path = target.replace(/^https?:\/\/[^/?]*/, '').replace(/[?#].*$/s, '');
  return operations.filter((operation) => patternOf(operation).test(path));
};

/** Describes the fault of an answer; null for none. */
export const judge = (
  operations: readonly ResolvedOperation[],
  request: WireRequest,
  answer: WireAnswer,
): string | null => {
  const { status, headers, text } = answer;
  const odd = request.raw !== undefined;
  // A request that was cut off may be closed without an answer.
  if (status === 0) return (request.raw?.missing ?? 0) > 0 ? null : 'no answer';
  if (status >= 500) return `status ${status}: ${text}`;
  if (headers['x-request-id'] === undefined) return `no X-Request-Id in an answer of ${status}`;
  if (request.method === 'HEAD') return null;
  const target = request.raw?.line?.split(/ +/)[1] ?? request.target;
  const known = operationsAt(operations, target);
  if (status < 400) {
    const documented = known.some(({ responses }) => String(status) in responses) || request.method === 'OPTIONS';
    return documented ? null : `${status} is documented nowhere here`;
  }
  let body: { code?: ProblemCode; status?: number; request_id?: string; error?: string; errors?: unknown };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return `a refusal of ${status} that is no JSON: ${text.slice(0, 200)}`;
  }
  if (body.request_id !== headers['x-request-id']) return 'the request_id is not that of the header';
  const { code } = body;
  if (headers['content-type'] === 'application/problem+json') {
    if (body.status !== status || !Array.isArray(body.errors)) return `an incomplete problem: ${text}`;
    if (code === undefined || !(code in problems)) return `an unknown code: ${text}`;
    if (routeLevel.includes(code)) return problems[code].status === status ? null : `${code} with ${status}`;
    if (code === 'invalid_request' && breaches.includes(status) && (odd || known.length === 0 || status === 431))
      return null;
  } else if (headers['content-type'] !== 'application/json' || body.error === undefined) {
    return `a refusal of the type ${headers['content-type']}: ${text.slice(0, 200)}`;
  }
  const documented = known.filter(({ method }) => odd || method === request.method);
  const isDocumented = documented.some(({ responses }) => responses[String(status)]?.['x-codes']?.includes(code ?? ''));
  return isDocumented ? null : `${status} ${code} is not documented: ${text.slice(0, 300)}`;
};
