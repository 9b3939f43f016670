import { z } from 'zod';
import { restRoute } from '../rest/route.ts';
import type { RemovedReferences } from './removed-references.ts';

const route = restRoute<{ removedReferences: RemovedReferences }>();

/** The route by which an owning service reports that an entity is gone; the same in every service that refers to others. */
export const removedReferencesRest = [
  route({
    method: 'DELETE',
    path: '/references/:typeName/:id',
    summary: 'Remove the references to an entity that is gone (the service that owns it)',
    description: 'Repeating it is harmless.',
    auth: 'required',
    params: z.object({
      typeName: z
        .string()
        .max(64)
        .meta({ description: "The entity's type in the graph, such as `Product`." }),
      id: z.uuid(),
    }),
    success: { status: 204, description: 'Nothing here refers to it.' },
    errors: ['FORBIDDEN'],
    handler: ({ params: { typeName, id } }, { removedReferences }) => removedReferences.forget(typeName, id),
  }),
];
