import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { AUTH_RATE, FEED_RATE } from '../rates.ts';
import type { Sessions } from './sessions.ts';
import {
  AuthPayloadShape,
  EndedSessionsShape,
  LoginShape,
  LogoutShape,
  RefreshShape,
  SessionShape,
} from './sessions.shapes.ts';

const route = restRoute<{ sessions: Sessions }>();

export const sessionsRest = [
  route({
    method: 'POST',
    path: '/auth/login',
    summary: 'Log in',
    description:
      'Whether the email is unknown, the password wrong or the account locked for a while after ten failures, the answer is the same.',
    auth: 'forgiving',
    body: LoginShape,
    rateLimit: AUTH_RATE,
    success: {
      status: 200,
      description: 'Access token, refresh token and the user.',
      shape: AuthPayloadShape,
    },
    handler: ({ body }, { sessions }) => sessions.login(body),
  }),
  route({
    method: 'POST',
    path: '/auth/refresh',
    summary: 'Get the next tokens',
    description:
      'A refresh token works once; using it again, at the same moment too, ends the session. To repeat a request whose answer was lost, send the same Idempotency-Key.',
    auth: 'forgiving',
    body: RefreshShape,
    rateLimit: AUTH_RATE,
    success: {
      status: 200,
      description: 'Access token, the next refresh token and the user.',
      shape: AuthPayloadShape,
    },
    handler: ({ body }, { sessions }) => sessions.refresh(body),
  }),
  route({
    method: 'POST',
    path: '/auth/logout',
    summary: 'End a session',
    description:
      'That of the refresh token, or without one that of the access token. The access token is refused everywhere within 5 seconds.',
    auth: 'forgiving',
    body: LogoutShape,
    rateLimit: AUTH_RATE,
    success: { status: 204, description: 'The session is ended, or was before.' },
    handler: ({ body }, { sessions }) => sessions.logout(body),
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
  route({
    method: 'DELETE',
    path: '/auth/sessions/:id',
    summary: 'End one of the sessions of the caller',
    auth: 'required',
    params: idParams,
    rateLimit: AUTH_RATE,
    success: { status: 204, description: 'The session is ended.' },
    handler: ({ params }, { sessions }) => sessions.end(params.id),
  }),
  route({
    method: 'GET',
    path: '/auth/ended-sessions',
    summary: 'Sessions whose access tokens hold no more (services)',
    description: 'For the services of the platform, which look every 2 seconds.',
    auth: 'required',
    query: z.object({
      since: z
        .string()
        .max(100)
        .optional()
        .meta({ description: '`next` of the answer before; absent: from the beginning.' }),
    }),
    rateLimit: FEED_RATE,
    success: { status: 200, description: 'What was ended since.', shape: EndedSessionsShape },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { sessions }) => sessions.ended(query.since),
  }),
];
