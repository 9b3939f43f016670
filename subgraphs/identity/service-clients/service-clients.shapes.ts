import { z } from 'zod';

export const UNSUPPORTED_GRANT_TYPE = 'expected client_credentials';

/** The fields have the names of OAuth 2.0 (RFC 6749, section 4.4). */
export const ClientCredentialsShape = z.object({
  grant_type: z
    .literal('client_credentials', {
      error: ({ input }) =>
        typeof input === 'string' ? UNSUPPORTED_GRANT_TYPE : 'expected client_credentials once, as a text',
    })
    .meta({ description: 'Always `client_credentials`.' }),
  client_id: z.string().max(40).optional().meta({
    description:
      'The id of a machine client, or the name of a service. Required without HTTP Basic authentication.',
  }),
  client_secret: z.string().max(200).optional().meta({
    description:
      'The secret of the machine client, or the service secret. Required without HTTP Basic authentication.',
  }),
  scope: z.string().max(1_000).optional().meta({ description: 'For a machine client: some of its scopes.' }),
});
export type ClientCredentialsShape = z.infer<typeof ClientCredentialsShape>;

export const ClientTokenShape = z
  .object({
    access_token: z
      .string()
      .meta({ description: 'Access token (JWT), to be sent as `Authorization: Bearer <token>`.' }),
    token_type: z.literal('Bearer').meta({ description: 'Always `Bearer`.' }),
    expires_in: z.int().meta({ description: 'Seconds.' }),
    scope: z
      .string()
      .optional()
      .meta({ description: 'The scopes of a machine client, separated by spaces.' }),
  })
  .meta({ id: 'ClientToken' });
export type ClientTokenShape = z.infer<typeof ClientTokenShape>;
