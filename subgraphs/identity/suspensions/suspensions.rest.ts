import { SUPER_ADMINS } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { UserShape } from '../users/users.shapes.ts';
import type { Suspensions } from './suspensions.ts';
import { SetSuspensionShape } from './suspensions.shapes.ts';

const route = restRoute<{ suspensions: Suspensions }>(TAGS.roles);

export const suspensionsRest = [
  route({
    method: 'PUT',
    path: '/users/:id/suspension',
    operationId: 'setUserSuspension',
    summary: 'Suspend an account, or end its suspension',
    only: SUPER_ADMINS,
    description:
      'A suspension ends all sessions of the account: every service refuses its access tokens within 5 s, and its refresh tokens are no longer valid. A log-in with the right password gets `ACCOUNT_SUSPENDED`. Audited. `CONFLICT` for the last SUPER_ADMIN who can log in.',
    auth: 'required',
    params: idParams,
    body: SetSuspensionShape,
    success: {
      status: 200,
      description: 'The changed user.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body }, { suspensions }) => suspensions.set(params.id, body),
  }),
];
