import type { RequestListener } from 'node:http';
import express, { type Request, type Response } from 'express';
import type { Knex } from 'knex';
import type { Log } from '../domain/ports/log.ts';
import type { Inspect } from '../domain/version-check.ts';
import type { WebhookHosts } from '../domain/webhook.ts';
import { createAlertHandlers } from './alerts/alerts.ts';
import { createAuditHandlers } from './audit/audit-log.ts';
import { createAccessTokens } from './auth/access-tokens.ts';
import { authenticate, authorise, createIntegrationGate } from './auth/authenticate.ts';
import type { Encryption } from '../runtime/encryption.ts';
import type { KeyRing } from './auth/key-ring.ts';
import type { ResolvedIssuer } from './auth/outside-issuers.ts';
import { createOutsideTokens } from './auth/outside-tokens.ts';
import { createTokenHandlers } from './auth/token.ts';
import { createWidgetTokens } from './auth/widget-tokens.ts';
import { createBrandingHandlers } from './branding/branding.ts';
import { createCheckoutCreation } from './checkouts/create.ts';
import { createCheckoutHandlers } from './checkouts/handlers.ts';
import { createCheckoutWidget } from './checkouts/widget.ts';
import { createCatalogueHandlers } from './catalogue/catalogue.ts';
import type { Dispatch } from '../domain/ports/dispatch.ts';
import { readBody } from './http/body.ts';
import { errorHandler } from './errors/error-handler.ts';
import { ApiError } from './errors/errors.ts';
import { everyRequest, mountOperations } from './http/routes.ts';
import { assertComplete, createRunHandler, type Handlers } from './http/handler.ts';
import { readIdempotencyKey } from './http/idempotency.ts';
import { chooseMediaType } from './request/media-type.ts';
import type { Guard, Specification } from './request/specification.ts';
import { createIntegrationHandlers } from './integrations/integrations.ts';
import {
  createAddressCount,
  limitAddresses,
  limitCallers,
  limitFailures,
  type RateLimits,
} from './limits/rate-limit.ts';
import { shareFairly } from './limits/fair-share.ts';
import { limitStreams, type StreamLimits } from './limits/streams.ts';
import { createMemberHandlers } from './members/members.ts';
import { createPageHandlers } from './widget/hosted-page.ts';
import { createPaymentCommands } from './payments/commands.ts';
import { createPaymentCreation } from './payments/create.ts';
import { createPaymentReads } from './payments/read.ts';
import { createPayoutHandlers } from './payouts/payouts.ts';
import { createServiceHandlers } from './service/health.ts';
import { createStatusHandlers } from './service/status.ts';
import { createDefaultHandlers } from './wallets/defaults.ts';
import { createDiamondHandlers } from './wallets/diamonds.ts';
import { createWalletHandlers } from './wallets/wallets.ts';
import { createDeliveryHandlers } from './webhooks/deliveries.ts';
import { createWebhookHandlers } from './webhooks/webhooks.ts';
import type { Pages } from './widget/pages.ts';
import { createWidgetHandlers } from './widget/widget.ts';

export interface AppDeps {
  readonly specification: Specification;
  /** Checks requests against it. */
  readonly validate: Guard;
  readonly knex: Knex;
  readonly keyRing: KeyRing;
  readonly encryption: Encryption;
  readonly dispatch: Dispatch;
  readonly inspect: Inspect;
  readonly isTemporalReachable: () => Promise<boolean>;
  /** Public origin of the API, without a trailing slash. */
  readonly publicUrl: string;
  /** Outside issuers whose tokens are accepted; none by default. */
  readonly outsideIssuers?: readonly ResolvedIssuer[];
  readonly maxOpenPayments: number;
  readonly rateLimits: RateLimits;
  readonly streamLimits: StreamLimits;
  /** Sends states to the open pages of buyers. */
  readonly pages: Pages;
  /** Most database connections of this process that one node's requests use at once. */
  readonly connectionsPerNode: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[];
  /** The hosts that webhooks may call. */
  readonly webhookHosts: WebhookHosts;
  /** Seconds without a sign of life from workers or Temporal before an alert. */
  readonly silenceSeconds: number;
  /** Milliseconds after which a revoked integration is refused at the latest. */
  readonly revocationDelayMs: number;
  readonly log: Log;
}

/** The parts that handlers share with guards. */
interface Shared {
  readonly accessTokens: ReturnType<typeof createAccessTokens>;
  readonly widgetTokens: ReturnType<typeof createWidgetTokens>;
  readonly checkoutTokens: ReturnType<typeof createWidgetTokens>;
  readonly gate: ReturnType<typeof createIntegrationGate>;
}

const createHandlers = (deps: AppDeps, { accessTokens, gate, ...tokens }: Shared): Handlers => ({
  ...createTokenHandlers({ ...deps, accessTokens }),
  ...createIntegrationHandlers({ ...deps, gate }),
  ...createWalletHandlers(deps),
  ...createDiamondHandlers(deps),
  ...createDefaultHandlers(deps),
  ...createPayoutHandlers(deps),
  ...createBrandingHandlers(deps),
  ...createMemberHandlers(deps),
  ...createPaymentCreation({ ...deps, ...tokens }),
  ...createPaymentReads({ ...deps, ...tokens }),
  ...createPaymentCommands({ ...deps, ...tokens }),
  ...createCheckoutCreation({ ...deps, ...tokens }),
  ...createCheckoutHandlers({ ...deps, ...tokens }),
  ...createCheckoutWidget({ ...deps, ...tokens }),
  ...createWebhookHandlers(deps),
  ...createDeliveryHandlers(deps),
  ...createAlertHandlers(deps),
  ...createAuditHandlers(deps),
  ...createWidgetHandlers(deps),
  ...createPageHandlers(deps),
  ...createCatalogueHandlers(deps),
  ...createServiceHandlers(deps),
  ...createStatusHandlers(deps),
});

/** Closes the connection where not even a refusal can be sent, so that one answer's error does not end the process. */
const lastAnswer = (send: () => void, response: Response): void => {
  try {
    send();
  } catch {
    response.destroy();
  }
};

/**
 * The HTTP application, which does not listen. Each operation of the specification is mounted with the guards below that it
 * needs, in this order. So a request is refused first by the route (404, 405), then by the limits of its address (429), its
 * token (401), the limits of its caller and node (429), the turns of its node, its permission (403), its body (413, 415,
 * 400), and last by its handler.
 * @throws Error when the specification and the handlers differ
 */
export const createApp = (deps: AppDeps): RequestListener => {
  const { specification, keyRing, knex, log } = deps;
  const accessTokens = createAccessTokens({ keyRing, issuer: deps.publicUrl });
  const outsideTokens = createOutsideTokens({ knex, issuers: deps.outsideIssuers ?? [] });
  const widgetTokens = createWidgetTokens(keyRing);
  const checkoutTokens = createWidgetTokens(keyRing, 'checkout');
  const gate = createIntegrationGate({ knex, maxAgeMs: deps.revocationDelayMs });
  const handlers = createHandlers(deps, { accessTokens, widgetTokens, checkoutTokens, gate });

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
    limitFailures(countAddress, authenticate({ accessTokens, outsideTokens, widgetTokens, checkoutTokens, gate })),
    limitCallers(knex, deps.rateLimits),
    shareFairly(deps.connectionsPerNode),
    authorise,
    chooseMediaType,
    limitStreams(deps.streamLimits),
    readBody,
    readIdempotencyKey,
    deps.validate,
    createRunHandler(deps, handlers),
  ]);
  app.use(answerError);
  const listener: RequestListener = (incoming, outgoing) => {
    const [request, response] = [incoming as Request, outgoing as Response];
    const ignore = (): void => {};
    // Express handles the returned promise itself.
    void app(request, response, (error: unknown) => {
      if (error !== undefined) return lastAnswer(() => answerError(error, request, response, ignore), response);
      // All routes answer, so the router could not parse the target, and no middleware has run.
      void begin(request, response, ignore);
      const refusal = new ApiError('invalid_request', 'The target of the request is not a path');
      return answerError(refusal, request, response, ignore);
    });
  };
  return listener;
};
