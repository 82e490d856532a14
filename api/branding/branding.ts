import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { auditedTransaction } from '../../db/audit/audited-transaction.ts';
import {
  changeBranding,
  findLogo,
  lockBranding,
  readBranding,
  type MerchantRow,
  type BrandingChange,
  type ReadBranding,
} from '../../db/branding/branding.ts';
import { findNode } from '../../db/nodes/nodes.ts';
import { unchanged } from '../../domain/audit.ts';
import { found, invalidRequest, type FieldError } from '../../domain/errors.ts';
import { readFrameOrigin } from '../../domain/pages/links.ts';
import { nameProblem } from '../../domain/pages/name.ts';
import type { WebhookHosts } from '../../domain/webhook.ts';
import type { StaticAnswer } from '../answers/static.ts';
import type { WidgetMerchant, Branding, BrandingRequest } from '../generated/openapi-types.ts';
import type { Handlers } from '../http/handler.ts';
import { logoProblem } from './png.ts';

/**
 * URL of a logo.
 * @param publicUrl public origin of the API, without a trailing slash
 * @param sha256 in lower-case hex
 */
const logoUrl = (publicUrl: string, sha256: string | null): string | null =>
  sha256 === null ? null : `${publicUrl}/pay/logos/${sha256}`;

/** The seller, as the page of a payment shows it. */
export const toMerchant = ({ name, accent_color, logo }: MerchantRow, publicUrl: string): WidgetMerchant => ({
  name,
  accent_color,
  logo_url: logoUrl(publicUrl, logo),
});

interface BrandingDeps {
  readonly knex: Knex;
  /** Public origin of the API, without a trailing slash. */
  readonly publicUrl: string;
  /** `loopback` also lets pages of this machine frame those of Carat. */
  readonly webhookHosts: WebhookHosts;
}

/** Base64 whose last digit has no bits that decoding drops. */
const decode = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
};

/** The change that a request asks for. @throws DomainError invalid_request with every field that breaks a rule */
const readChange = (body: BrandingRequest, hosts: WebhookHosts): BrandingChange => {
  const errors: FieldError[] = [];
  const check = (field: string, message: string | null): void => {
    if (message !== null) errors.push({ path: `/body/${field}`, message });
  };
  const { display_name: name, accent_color: color, logo: text, frame_origins: texts } = body;
  if (name != null) check('display_name', nameProblem(name));
  const logo = text == null ? text : decode(text);
  if (text != null) check('logo', logo == null ? 'must be base64 with padding' : logoProblem(logo));
  const origins = texts?.map((origin, index) => {
    const read = readFrameOrigin(origin, hosts);
    if ('origin' in read) return read.origin;
    check(`frame_origins/${index}`, read.problem);
    return origin;
  });
  if (errors.length > 0) throw invalidRequest(...errors);
  return {
    ...(name !== undefined && { display_name: name }),
    ...(color !== undefined && { accent_color: color?.toLowerCase() ?? null }),
    ...(logo !== undefined && { logo }),
    ...(texts !== undefined && { frame_origins: [...new Set(origins ?? [])] }),
  };
};

/** True when the branding already is as the change wants it. */
const isSame = (stored: ReadBranding, { display_name, accent_color, logo, frame_origins }: BrandingChange): boolean =>
  (display_name === undefined || display_name === stored.displayName) &&
  (accent_color === undefined || accent_color === stored.accentColor) &&
  (logo === undefined || (logo && createHash('sha256').update(logo).digest('hex')) === stored.logo) &&
  (frame_origins === undefined || frame_origins.join(' ') === stored.frameOrigins.join(' '));

/** A year: the address of a logo is its content. */
const MAX_AGE = 365 * 24 * 3_600;

/** A logo never changes, and pages of any origin may show it. */
const logoAnswer = (image: Buffer, sha256: string): StaticAnswer => ({
  headers: {
    'Content-Type': 'image/png',
    'Cache-Control': `public, max-age=${MAX_AGE}, immutable`,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
  },
  forms: [{ encoding: 'identity', body: () => image, etag: `"${sha256}"` }],
});

/** The look of a node's pages for buyers. */
export const createBrandingHandlers = ({
  knex,
  publicUrl,
  webhookHosts,
}: BrandingDeps): Pick<Handlers, 'getBranding' | 'setBranding' | 'getLogo'> => {
  const toBranding = (nodeId: string, branding: ReadBranding): Branding => ({
    node_id: nodeId,
    display_name: branding.displayName,
    accent_color: branding.accentColor,
    logo_url: logoUrl(publicUrl, branding.logo),
    frame_origins: [...branding.frameOrigins],
    merchant: toMerchant(branding.merchant, publicUrl),
    updated_at: branding.updatedAt?.toISOString() ?? null,
  });

  return {
    getBranding: async ({ params, caller }) => {
      const { id } = found(await findNode(knex, caller.nodeId, params.node_id), 'node');
      return { status: 200, body: toBranding(id, await readBranding(knex, id)) };
    },

    setBranding: async ({ params, body, caller, audit }) => {
      const change = readChange(body, webhookHosts);
      const { id } = found(await findNode(knex, caller.nodeId, params.node_id), 'node');
      return auditedTransaction(knex, audit, async (trx) => {
        await lockBranding(trx, id);
        const stored = await readBranding(trx, id);
        const before = toBranding(id, stored);
        if (isSame(stored, change)) return unchanged(before);
        await changeBranding(trx, { nodeId: id, stored, change });
        const after = toBranding(id, await readBranding(trx, id));
        const entry = { action: 'branding.updated' as const, nodeId: id, resourceId: id, before, after };
        return { answer: { status: 200, body: after }, change: entry };
      });
    },

    getLogo: async ({ params }) => logoAnswer(found(await findLogo(knex, params.sha256), 'logo'), params.sha256),
  };
};
