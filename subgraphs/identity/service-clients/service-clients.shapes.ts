import { z } from 'zod';

/** The fields have the names of OAuth 2.0 (RFC 6749, section 4.4). */
export const ClientCredentialsShape = z.object({
  grant_type: z.literal('client_credentials', 'expected client_credentials'),
  client_id: z.string().max(40),
  client_secret: z.string().max(200),
});

export const ServiceTokenShape = z
  .object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() })
  .meta({ id: 'ServiceToken' });
export type ServiceTokenShape = z.infer<typeof ServiceTokenShape>;
