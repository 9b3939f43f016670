import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { AUTH_RATE, FEED_RATE, REGISTRATION_RATE } from '../rates.ts';
import type { Users } from './users.ts';
import { emailText, RegisterShape, UserShape } from './users.shapes.ts';

const route = restRoute<{ users: Users }>();

/**
 * Answers that hold a user have a version, and differ by who asks (`/users/me` is another user for each): their `ETag`
 * is made of both, so that an answer to one user is never confirmed as current for another one.
 */
export const usersRest = [
  route({
    method: 'POST',
    path: '/auth/register',
    summary: 'Create an account',
    description:
      'The role of a new account is MEMBER, whatever the body says. Emails are unique without regard to case.',
    auth: 'forgiving',
    body: RegisterShape,
    rateLimit: REGISTRATION_RATE,
    success: { status: 201, description: 'The new user.', shape: UserShape, changesBetweenVersions: true },
    errors: ['CONFLICT'],
    handler: ({ body }, { users }) => users.register(body),
  }),
  route({
    method: 'GET',
    path: '/auth/me',
    summary: 'The user who asks',
    auth: 'required',
    rateLimit: AUTH_RATE,
    success: { status: 200, description: 'The user.', shape: UserShape, changesBetweenVersions: true },
    handler: (_request, { users }) => users.me(),
  }),
  route({
    method: 'GET',
    path: '/users/me',
    summary: 'The user who asks',
    auth: 'required',
    success: { status: 200, description: 'The user.', shape: UserShape, changesBetweenVersions: true },
    handler: (_request, { users }) => users.me(),
  }),
  route({
    method: 'GET',
    path: '/users/all',
    summary: 'All users (SUPER_ADMIN), or those of her gym (GYM_ADMIN)',
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape),
    success: {
      status: 200,
      description: 'In the order of their registration.',
      shape: UserShape,
      page: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { users }) => users.list(query),
  }),
  route({
    method: 'GET',
    path: '/users/super-admins',
    summary: 'Whom to turn to for support',
    auth: 'required',
    success: {
      status: 200,
      description: 'Public part and email of each SUPER_ADMIN.',
      shape: z.array(UserShape),
    },
    handler: (_request, { users }) => users.superAdmins(),
  }),
  route({
    method: 'GET',
    path: '/users/by-qr-code/:qrCode',
    summary: 'Who has a QR code (services, admins of her gym)',
    auth: 'required',
    params: z.object({ qrCode: z.string().max(100) }),
    success: { status: 200, description: 'The user.', shape: UserShape, changesBetweenVersions: true },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { users }) => users.byQrCode(params.qrCode),
  }),
  route({
    method: 'GET',
    path: '/auth/email-availability',
    summary: 'Whether an email is free to register (services)',
    auth: 'required',
    query: z.object({ email: emailText }),
    rateLimit: FEED_RATE,
    success: {
      status: 200,
      description: 'True or false.',
      shape: z.object({ email: z.string(), available: z.boolean() }),
    },
    errors: ['FORBIDDEN'],
    handler: async ({ query: { email } }, { users }) => ({
      email,
      available: await users.isEmailAvailable(email),
    }),
  }),
  route({
    method: 'GET',
    path: '/users/:id',
    summary: 'The profile of a user',
    description:
      'Whole to herself and the admins of her gym; the public part to people of her gym; 404 to others.',
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The user, as the caller may see them.',
      shape: UserShape,
      changesBetweenVersions: true,
    },
    handler: ({ params }, { users }) => users.get(params.id),
  }),
];
