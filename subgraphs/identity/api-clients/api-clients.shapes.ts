import { z } from 'zod';
import { SCOPE_NAMES } from '#server/auth/scopes.ts';
import { instant, visibleText } from '#server/shapes.ts';

const scope = z.enum(SCOPE_NAMES, `expected one of ${SCOPE_NAMES.join(', ')}`);

export const ApiClientShape = z
  .object({
    id: z.uuid().meta({ description: 'The `client_id` for `POST /auth/token`.' }),
    gymId: z.uuid(),
    name: z.string(),
    scopes: z.array(scope).meta({ description: 'What the client may do.' }),
    locationId: z.uuid().nullable().meta({
      description:
        'The only location at which the client may act; null if it may at all locations of its gym.',
    }),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().meta({ description: 'When the client last got a token.' }),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The client gets no token from then on; null if it does not expire.' }),
  })
  .meta({ id: 'ApiClient' });
export type ApiClientShape = z.infer<typeof ApiClientShape>;

export const ApiClientWithSecretShape = ApiClientShape.extend({
  secret: z.string().meta({ description: 'The `client_secret`. It is in this answer only.' }),
}).meta({ id: 'ApiClientWithSecret' });
export type ApiClientWithSecretShape = z.infer<typeof ApiClientWithSecretShape>;

export const CreateApiClientInput = z
  .object({
    name: visibleText(100),
    scopes: z
      .array(scope)
      .min(1)
      .max(SCOPE_NAMES.length)
      .refine((names) => new Set(names).size === names.length, 'expected each scope once'),
    locationId: z
      .uuid()
      .nullish()
      .meta({ description: 'A location of the gym, to which the client is limited.' }),
    expiresAt: instant.nullish(),
    gymId: z.uuid().nullish().meta({
      description: 'Required from a SUPER_ADMIN. A GYM_ADMIN creates clients of their own gym only.',
    }),
  })
  .meta({ graphType: 'CreateApiClientInput' });

/** The rule checks the filter, because an `ID` of the graph may be any text. */
export const ApiClientsFilter = z.object({ gymId: z.uuid('expected the id of a gym').nullish() });
