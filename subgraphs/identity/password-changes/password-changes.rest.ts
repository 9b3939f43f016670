import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { AUTH_RATE } from '../rates.ts';
import type { PasswordChanges } from './password-changes.ts';
import { ChangePasswordShape } from './password-changes.shapes.ts';

const route = restRoute<{ passwordChanges: PasswordChanges }>(TAGS.passwords);

export const passwordChangesRest = [
  route({
    method: 'POST',
    path: '/auth/password',
    operationId: 'changeMyPassword',
    summary: 'Change your password',
    description:
      'Ends all your sessions but this one. A wrong current password counts as a failed log-in: ten in 15 minutes lock the account for 15 minutes.',
    auth: 'required',
    body: ChangePasswordShape,
    rateLimit: AUTH_RATE,
    success: { status: 204, description: 'The new password is set.' },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { passwordChanges }) => passwordChanges.change(body),
  }),
];
