import type { MerchantRow } from '../../db/branding/branding.ts';
import type { WidgetMerchant } from '../generated/openapi-types.ts';

/**
 * URL of a logo.
 * @param publicUrl public origin of the API, without a trailing slash
 * @param sha256 in lower-case hex
 */
export const logoUrl = (publicUrl: string, sha256: string | null): string | null =>
  sha256 === null ? null : `${publicUrl}/pay/logos/${sha256}`;

/** The seller, as the page of a payment shows it. */
export const toMerchant = ({ name, accent_color, logo }: MerchantRow, publicUrl: string): WidgetMerchant => ({
  name,
  accent_color,
  logo_url: logoUrl(publicUrl, logo),
});
