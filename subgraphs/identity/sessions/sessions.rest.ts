import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { AUTH_RATE } from '../rates.ts';
import type { Sessions } from './sessions.ts';
import { AuthPayloadShape, LoginShape, SessionShape } from './sessions.shapes.ts';

const route = restRoute<{ sessions: Sessions }>();

export const sessionsRest = [
  route({
    method: 'POST',
    path: '/auth/login',
    summary: 'Log in',
    description: 'Whether the email is unknown, the password wrong or the account locked for a while after ten failures, the answer is the same.',
    auth: 'forgiving',
    body: LoginShape,
    rateLimit: AUTH_RATE,
    success: { status: 200, description: 'Access token, refresh token and the user.', shape: AuthPayloadShape },
    handler: ({ body }, { sessions }) => sessions.login(body),
  }),
  route({
    method: 'GET',
    path: '/auth/sessions',
    summary: 'Where the caller is logged in',
    auth: 'required',
    rateLimit: AUTH_RATE,
    success: { status: 200, description: 'The latest used first.', shape: z.array(SessionShape) },
    handler: (_request, { sessions }) => sessions.list(),
  }),
];
