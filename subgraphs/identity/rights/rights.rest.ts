import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { UserShape } from '../users/users.shapes.ts';
import type { Rights } from './rights.ts';
import { SetGymShape, SetRoleShape } from './rights.shapes.ts';

const route = restRoute<{ rights: Rights }>();

export const rightsRest = [
  route({
    method: 'PUT',
    path: '/users/:id/role',
    summary: 'Change the role of a user (SUPER_ADMIN)',
    description: 'Audited. Her access tokens hold no more; a refresh gives one with the new role.',
    auth: 'required',
    params: idParams,
    body: SetRoleShape,
    success: {
      status: 200,
      description: 'The user as they are now.',
      shape: UserShape,
      changesBetweenVersions: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body }, { rights }) => rights.setRole(params.id, body),
  }),
  route({
    method: 'PUT',
    path: '/users/:id/gym',
    summary: 'Move a user to a gym, or to none (GYM_ADMIN, SUPER_ADMIN)',
    description:
      'A GYM_ADMIN takes members without a gym into hers, and lets those of hers go. Audited. The access tokens of the user hold no more; a refresh gives one with the new gym.',
    auth: 'required',
    params: idParams,
    body: SetGymShape,
    success: {
      status: 200,
      description: 'The user as they are now.',
      shape: UserShape,
      changesBetweenVersions: true,
    },
    errors: ['FORBIDDEN'],
    handler: ({ params, body }, { rights }) => rights.setGym(params.id, body),
  }),
];
