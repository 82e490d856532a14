import type { RequestListener } from 'node:http';
import express, { type Request, type Response } from 'express';
import type { Knex } from 'knex';
import type { Log } from '../domain/ports/log.ts';
import type { Inspect } from '../domain/version-check.ts';
import type { WebhookHosts } from '../domain/webhook.ts';
import { createAlertHandlers } from './alerts/alerts.ts';
import { createAuditHandlers } from './audit/audit-log.ts';
import { createAccessTokens } from './auth/access-tokens.ts';
import { authenticate, authorise } from './auth/authenticate.ts';
import type { Encryption } from '../encryption.ts';
import { createIntegrationGate } from './auth/integration-gate.ts';
import type { KeyRing } from './auth/key-ring.ts';
import type { ResolvedIssuer } from './auth/outside-issuers.ts';
import { createOutsideTokens } from './auth/outside-tokens.ts';
import { createTokenHandlers } from './auth/token.ts';
import { createWidgetTokens } from './auth/widget-tokens.ts';
import { createCatalogueHandlers } from './catalogue/catalogue.ts';
import type { Dispatch } from './dispatch.ts';
import { readBody } from './http/body.ts';
import { errorHandler } from './errors/error-handler.ts';
import { ApiError } from './errors/errors.ts';
import { everyRequest } from './http/every-request.ts';
import { assertComplete, createRunHandler, type Handlers } from './http/handler.ts';
import { expressMessages, type HttpApp } from './http/http-server.ts';
import { readIdempotencyKey } from './http/idempotency.ts';
import { chooseMediaType } from './answers/media-type.ts';
import { mountOperations } from './http/routes.ts';
import type { Specification } from './http/specification.ts';
import { createValidator } from './http/validator.ts';
import { createIntegrationHandlers } from './integrations/integrations.ts';
import {
  createAddressCount,
  limitAddresses,
  limitCallers,
  limitFailures,
  type RateLimits,
} from './limits/rate-limit.ts';
import { shareFairly } from './limits/fair-share.ts';
import { createMemberHandlers } from './members/members.ts';
import { createPaymentHandlers } from './payments/handlers.ts';
import { createWidgetHandlers } from './payments/widget.ts';
import { createPayoutHandlers } from './payouts/payouts.ts';
import { createServiceHandlers } from './service/health.ts';
import { createStatusHandlers } from './service/status.ts';
import { createDefaultHandlers } from './wallets/defaults.ts';
import { createDeployHandlers } from './wallets/deploy.ts';
import { createDeploymentHandlers } from './wallets/deployments.ts';
import { createUpdateHandlers } from './wallets/update.ts';
import { createVersionCheckHandlers } from './wallets/version-check.ts';
import { createWalletHandlers } from './wallets/wallets.ts';
import { createDeliveryHandlers } from './webhooks/deliveries.ts';
import { createWebhookTests } from './webhooks/rehearse.ts';
import { createSecretRotation } from './webhooks/rotate.ts';
import { createWebhookHandlers } from './webhooks/webhooks.ts';

export interface AppDeps {
  readonly specification: Specification;
  readonly knex: Knex;
  readonly keyRing: KeyRing;
  readonly encryption: Encryption;
  readonly dispatch: Dispatch;
  readonly inspect: Inspect;
  readonly isTemporalReachable: () => Promise<boolean>;
  /** Origin at which clients reach the api, without a slash at the end. */
  readonly publicUrl: string;
  /** Whose tokens are accepted beside the service's own ones; no others when absent. */
  readonly outsideIssuers?: readonly ResolvedIssuer[];
  readonly maxOpenPayments: number;
  readonly rateLimits: RateLimits;
  /** Database connections of this process that the requests of one node may use at once. */
  readonly connectionsPerNode: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Which hosts webhooks may call. */
  readonly webhookHosts: WebhookHosts;
  /** Seconds that workers and Temporal may be silent before the operator is told. */
  readonly silenceSeconds: number;
  /** Milliseconds after which a revoked integration is refused at the latest. */
  readonly revocationDelayMs: number;
  readonly log: Log;
  /** Checks also what is answered; for tests. */
  readonly validateResponses?: boolean;
}

/** What handlers share with the guards. */
interface Shared {
  readonly accessTokens: ReturnType<typeof createAccessTokens>;
  readonly widgetTokens: ReturnType<typeof createWidgetTokens>;
  readonly gate: ReturnType<typeof createIntegrationGate>;
}

const createHandlers = (deps: AppDeps, { accessTokens, widgetTokens, gate }: Shared): Handlers => ({
  ...createTokenHandlers({ ...deps, accessTokens }),
  ...createIntegrationHandlers({ ...deps, gate }),
  ...createWalletHandlers(deps),
  ...createDeployHandlers(deps),
  ...createDeploymentHandlers(deps),
  ...createUpdateHandlers(deps),
  ...createVersionCheckHandlers(deps),
  ...createDefaultHandlers(deps),
  ...createPayoutHandlers(deps),
  ...createMemberHandlers(deps),
  ...createPaymentHandlers({ ...deps, widgetTokens }),
  ...createWebhookHandlers(deps),
  ...createDeliveryHandlers(deps),
  ...createWebhookTests(deps),
  ...createSecretRotation(deps),
  ...createAlertHandlers(deps),
  ...createAuditHandlers(deps),
  ...createWidgetHandlers(deps),
  ...createCatalogueHandlers(deps),
  ...createServiceHandlers(deps),
  ...createStatusHandlers(deps),
});

/** Ends the connection where not even a refusal can be sent: an error of one answer must not end the process. */
const lastAnswer = (send: () => void, response: Response): void => {
  try {
    send();
  } catch {
    response.destroy();
  }
};

/**
 * The HTTP application; it never listens. Every operation of the specification is mounted with those of the guards
 * below that it needs, and passes them from top to bottom, so what stands higher is refused first: 404 and 405 for the
 * route, 429 for too many of an address, 401, 429 for too many of a caller or its node, a turn of the node, 403 for the permission, 413, 415 and 400 for
 * the request, then what the handler finds.
 * @throws Error when the specification and the handlers differ
 */
export const createApp = (deps: AppDeps): HttpApp => {
  const { specification, keyRing, knex, log } = deps;
  const accessTokens = createAccessTokens({ keyRing, issuer: deps.publicUrl });
  const outsideTokens = createOutsideTokens({ knex, issuers: deps.outsideIssuers ?? [] });
  const widgetTokens = createWidgetTokens(keyRing);
  const gate = createIntegrationGate({ knex, maxAgeMs: deps.revocationDelayMs });
  const handlers = createHandlers(deps, { accessTokens, widgetTokens, gate });

  assertComplete(specification.operations, handlers);

  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies]);
  const countAddress = createAddressCount(knex, deps.rateLimits);
  const begin = everyRequest(log);
  const answerError = errorHandler(log);
  app.use(begin);
  mountOperations(app, specification.operations, [
    limitAddresses(countAddress),
    limitFailures(countAddress, authenticate({ accessTokens, outsideTokens, widgetTokens, gate })),
    limitCallers(knex, deps.rateLimits),
    shareFairly(deps.connectionsPerNode),
    authorise,
    chooseMediaType,
    readBody,
    readIdempotencyKey,
    createValidator(specification, { validateResponses: deps.validateResponses ?? false }),
    createRunHandler(deps, handlers),
  ]);
  app.use(answerError);
  const listener: RequestListener = (incoming, outgoing) => {
    const [request, response] = [incoming as Request, outgoing as Response];
    const ignore = (): void => {};
    // Express answers with a promise that it handles by itself.
    void app(request, response, (error: unknown) => {
      if (error !== undefined) return lastAnswer(() => answerError(error, request, response, ignore), response);
      // Everything above answers, so the target was none that the router can parse, and nothing above has run.
      void begin(request, response, ignore);
      const refusal = new ApiError('invalid_request', 'The target of the request is not a path');
      return answerError(refusal, request, response, ignore);
    });
  };
  return { listener, messages: expressMessages(app) };
};
