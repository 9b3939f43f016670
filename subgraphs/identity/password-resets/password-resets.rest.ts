import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { AUTH_RATE } from '../rates.ts';
import type { PasswordResets } from './password-resets.ts';
import { ConfirmResetShape, RequestResetShape } from './password-resets.shapes.ts';

const route = restRoute<{ passwordResets: PasswordResets }>(TAGS.passwords);

export const passwordResetsRest = [
  route({
    method: 'POST',
    path: '/auth/password-reset',
    operationId: 'requestPasswordReset',
    summary: 'Request a mail to set a new password',
    description: 'The answer is the same whether an account has that address or not.',
    auth: 'ignoreInvalidToken',
    body: RequestResetShape,
    rateLimit: AUTH_RATE,
    success: { status: 202, description: 'If an account has the address, a mail will be sent to it.' },
    handler: ({ body }, { passwordResets }) => passwordResets.request(body),
  }),
  route({
    method: 'POST',
    path: '/auth/password-reset/confirm',
    operationId: 'confirmPasswordReset',
    summary: 'Set a new password with the token of a mail',
    description:
      'A token works once and for one hour (the token of an invitation for seven days). All sessions of the account end.',
    auth: 'ignoreInvalidToken',
    body: ConfirmResetShape,
    rateLimit: AUTH_RATE,
    success: { status: 204, description: 'The password is set; log in with it.' },
    handler: ({ body }, { passwordResets }) => passwordResets.confirm(body),
  }),
];
