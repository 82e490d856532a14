import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import { findAnswer } from '../../db/audit/idempotency.ts';
import type { AuditContext } from '../../domain/audit.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Encryption } from '../auth/encryption.ts';
import { ApiError } from './errors.ts';
import { localsOf } from './locals.ts';
import type { Guard } from './routes.ts';

const MAX_KEY_CHARACTERS = 255;

/** Deeper than any body of an operation; the validator, which knows better, runs later. */
const MAX_DEPTH = 32;

/**
 * The same for every order of members and every amount of white space.
 * @throws DomainError invalid_request for a body that is nested too deep to be walked through
 */
const canonical = (value: unknown, depth = 0): string => {
  if (depth > MAX_DEPTH)
    throw invalidRequest({ path: '/body', message: `must not be nested deeper than ${MAX_DEPTH}` });
  if (Array.isArray(value)) return `[${value.map((entry) => canonical(entry, depth + 1)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, entry]) => `${JSON.stringify(name)}:${canonical(entry, depth + 1)}`).join()}}`;
};

const readKey: RequestHandler = (request, response, next) => {
  const keys = request.headersDistinct['idempotency-key'] ?? [];
  if (keys.length > 0) {
    const [key = ''] = keys;
    if (keys.length > 1 || key.length > MAX_KEY_CHARACTERS || !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
      throw invalidRequest({
        path: '/headers/idempotency-key',
        message: `must be one header of 1 to ${MAX_KEY_CHARACTERS} printable ASCII characters`,
      });
    }
    const body = canonical(request.body as unknown);
    const requestHash = createHash('sha256').update(body).digest();
    localsOf(response).idempotency = { key, target: `POST ${request.path.toLowerCase()}`, requestHash };
  }
  next();
};

/** Reads the header `Idempotency-Key` of a POST of an integration; elsewhere it means nothing. */
export const readIdempotencyKey: Guard = ({ access, method }) =>
  access === 'integration' && method === 'post' ? [readKey] : [];

/** What an answer is encrypted for: it can be read for the same caller, target and key only. */
export const answerContext = (actorId: string, target: string, key: string): string =>
  `answer ${JSON.stringify([actorId, target, key])}`;

/** An answer as it was sent under the key before. */
export interface Replay {
  readonly status: number;
  readonly text: string;
}

export interface ReplayDeps {
  readonly knex: Knex;
  readonly encryption: Encryption;
}

/**
 * Looks, after a handler has failed, whether an earlier request under the same key is the reason, and answers what that
 * one was answered. Nothing needs to be asked before: a first request never pays for this.
 * @returns null when the failure stands
 * @throws ApiError idempotency_key_reused when the earlier request had another body
 */
export const createReplay =
  ({ knex, encryption }: ReplayDeps) =>
  async (audit: AuditContext): Promise<Replay | null> => {
    const stored = await findAnswer(knex, audit);
    if (stored === null || audit.idempotency === null) return null;
    const { key, target, requestHash } = audit.idempotency;
    if (!stored.request_hash.equals(requestHash)) {
      throw new ApiError('idempotency_key_reused', 'The Idempotency-Key was used for another request before');
    }
    return {
      status: stored.status,
      text: encryption.decrypt(answerContext(audit.actorId, target, key), stored.sealed_answer),
    };
  };
