import { z } from 'zod';
import { SERVICES } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { AUTH_RATE, SERVICE_RATE } from '../rates.ts';
import type { Sessions } from './sessions.ts';
import {
  AuthPayloadShape,
  EndedSessionsShape,
  LoginShape,
  LogoutShape,
  RefreshShape,
  SessionShape,
} from './sessions.shapes.ts';

const route = restRoute<{ sessions: Sessions }>(TAGS.logIn);

export const sessionsRest = [
  route({
    method: 'POST',
    path: '/auth/login',
    operationId: 'logIn',
    summary: 'Log in',
    description:
      'The answer is the same if the email is unknown, if the password is wrong, and if the account is locked for 15 minutes after ten failures. A suspended account gets `ACCOUNT_SUSPENDED`, but only with the right password. A user has at most 200 sessions: a further log-in ends the least recently used one.',
    auth: 'ignoreInvalidToken',
    body: LoginShape,
    rateLimit: AUTH_RATE,
    success: {
      status: 200,
      description: 'Access token, refresh token and the user.',
      shape: AuthPayloadShape,
      noStore: true,
    },
    errors: ['ACCOUNT_SUSPENDED'],
    handler: ({ body }, { sessions }) => sessions.login(body),
  }),
  route({
    method: 'POST',
    path: '/auth/refresh',
    operationId: 'refreshTokens',
    summary: 'Get the next tokens',
    description:
      'A refresh token works once; a second use, even at the same moment, ends the session. To repeat a request whose answer was lost, send the same Idempotency-Key.',
    auth: 'ignoreInvalidToken',
    body: RefreshShape,
    rateLimit: AUTH_RATE,
    success: {
      status: 200,
      description: 'Access token, the next refresh token and the user.',
      shape: AuthPayloadShape,
      noStore: true,
    },
    handler: ({ body }, { sessions }) => sessions.refresh(body),
  }),
  route({
    method: 'POST',
    path: '/auth/logout',
    operationId: 'logOut',
    summary: 'End a session',
    description:
      'Ends the session of the refresh token, or without one the session of the access token. The access token is refused by every service within 5 seconds.',
    auth: 'ignoreInvalidToken',
    body: LogoutShape,
    rateLimit: AUTH_RATE,
    success: { status: 204, description: 'The session has ended, now or earlier.' },
    handler: ({ body }, { sessions }) => sessions.logout(body),
  }),
  route({
    method: 'GET',
    path: '/auth/sessions',
    operationId: 'listMySessions',
    summary: "The caller's sessions",
    auth: 'required',
    rateLimit: AUTH_RATE,
    success: { status: 200, description: 'The most recently used first.', shape: z.array(SessionShape) },
    handler: (_request, { sessions }) => sessions.list(),
  }),
  route({
    method: 'DELETE',
    path: '/auth/sessions/:id',
    operationId: 'endMySession',
    summary: "End one of the caller's sessions",
    auth: 'required',
    params: idParams,
    rateLimit: AUTH_RATE,
    success: { status: 204, description: 'The session has ended.' },
    handler: ({ params }, { sessions }) => sessions.end(params.id),
  }),
  route({
    method: 'GET',
    path: '/auth/ended-sessions',
    operationId: 'listEndedSessions',
    summary: 'Sessions whose access tokens are no longer valid',
    only: SERVICES,
    description: 'For the services of the platform, which call it every 2 seconds.',
    auth: 'required',
    query: z.object({
      since: z.string().max(100).optional().meta({
        description: '`next` of the previous answer. Without it, the answer begins with the oldest entry.',
      }),
    }),
    rateLimit: SERVICE_RATE,
    success: {
      status: 200,
      description: 'The sessions and machine clients with tokens that are refused since the previous answer.',
      shape: EndedSessionsShape,
    },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { sessions }) => sessions.ended(query.since),
  }),
];
