import { z } from 'zod';
import { SCOPE_NAMES } from '#server/auth/scopes.ts';
import { instant, uuid, visibleText } from '#server/shapes.ts';

const scope = z.enum(SCOPE_NAMES, `expected one of ${SCOPE_NAMES.join(', ')}`);

export const ApiClientShape = z
  .object({
    id: uuid(),
    gymId: uuid(),
    name: z.string(),
    scopes: z.array(scope),
    locationId: uuid().nullable(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiClient' });
export type ApiClientShape = z.infer<typeof ApiClientShape>;

export const ApiClientWithSecretShape = ApiClientShape.extend({
  secret: z.string(),
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
    locationId: uuid().nullish(),
    expiresAt: instant.nullish(),
    gymId: uuid().nullish(),
  })
  .meta({ graphType: 'CreateApiClientInput' });

/** The rule checks the filter, because an `ID` of the graph may be any text. */
export const ApiClientsFilter = z.object({ gymId: uuid('expected the id of a gym').nullish() });
