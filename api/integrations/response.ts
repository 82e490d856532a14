import type { ListedIntegrationModel } from '../../db/integrations/integrations.ts';

/** A new integration as the API answers it, without its secret. */
export const toNewIntegration = (integration: ListedIntegrationModel) => ({
  id: integration.id,
  node_id: integration.node_id,
  name: integration.name,
  api_key: integration.api_key,
  permissions: integration.permissions,
  expires_at: integration.expires_at?.toISOString() ?? null,
  created_at: integration.created_at.toISOString(),
});

/** An integration as the API answers it. */
export const toIntegration = (integration: ListedIntegrationModel) => ({
  ...toNewIntegration(integration),
  last_used_at: integration.last_used_at?.toISOString() ?? null,
  revoked_at: integration.revoked_at?.toISOString() ?? null,
});
