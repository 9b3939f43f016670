import { SUPER_ADMINS, callers } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { UserShape } from '../users/users.shapes.ts';
import type { Rights } from './rights.ts';
import { SetGymShape, SetRoleShape } from './rights.shapes.ts';

const route = restRoute<{ rights: Rights }>(TAGS.roles);

export const rightsRest = [
  route({
    method: 'PUT',
    path: '/users/:id/role',
    operationId: 'setUserRole',
    summary: 'Change the role of a user',
    only: SUPER_ADMINS,
    description:
      'The change is audited. It makes the access tokens of the user invalid; a refresh returns one with the new role. `CONFLICT` for the role of the last SUPER_ADMIN who can log in.',
    auth: 'required',
    params: idParams,
    body: SetRoleShape,
    success: {
      status: 200,
      description: 'The changed user.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body }, { rights }) => rights.setRole(params.id, body),
  }),
  route({
    method: 'PUT',
    path: '/users/:id/gym',
    operationId: 'setUserGym',
    summary: 'Move a user to a gym, or out of their gym',
    only: callers('GYM_ADMIN, SUPER_ADMIN', 'GYM_ADMIN', 'SUPER_ADMIN'),
    description:
      'A GYM_ADMIN may add members without a gym to their own gym, and remove its members. The change is audited. If the user belonged to a gym before, their access tokens become invalid. A refresh returns one with the new gym.',
    auth: 'required',
    params: idParams,
    body: SetGymShape,
    success: {
      status: 200,
      description: 'The changed user.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body }, { rights }) => rights.setGym(params.id, body),
  }),
];
