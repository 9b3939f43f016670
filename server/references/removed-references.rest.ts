import { z } from 'zod';
import { uuid } from '../shapes.ts';
import { OWNING_SERVICE } from '../rest/callers.ts';
import { INTERNAL, restRoute } from '../rest/route.ts';
import type { RemovedReferences } from './removed-references.ts';

const route = restRoute<{ removedReferences: RemovedReferences }>(INTERNAL);

/**
 * The route by which an owning service reports that an entity was removed. It is the same in every service that refers to
 * entities of other services.
 */
export const removedReferencesRest = [
  route({
    method: 'DELETE',
    path: '/references/:typeName/:id',
    operationId: 'removeReferences',
    summary: 'Remove the references to an entity that its owning service has removed',
    only: OWNING_SERVICE,
    description: 'A repeated call changes nothing.',
    auth: 'required',
    params: z.object({
      typeName: z
        .string()
        .max(64)
        .meta({ description: "The entity's type in the graph, such as `Product`." }),
      id: uuid().meta({ description: 'The id of the removed entity.' }),
    }),
    success: { status: 204, description: 'No row of this service refers to the entity.' },
    errors: ['FORBIDDEN'],
    handler: ({ params: { typeName, id } }, { removedReferences }) => removedReferences.forget(typeName, id),
  }),
];
