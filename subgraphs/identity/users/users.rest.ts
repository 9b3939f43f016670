import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { SERVICES, callers } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams, searchText } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import { MembershipStatus } from '../memberships/membership-status.ts';
import { AUTH_RATE, SERVICE_RATE, REGISTRATION_RATE } from '../rates.ts';
import type { Users } from './users.ts';
import { emailText, RegisterShape, UserShape } from './users.shapes.ts';

const route = restRoute<{ users: Users }>(TAGS.users);

/**
 * Two callers may get different answers for the same path and version: `/users/me` is another user for each caller, and
 * `/users/:id` contains only the fields that the caller may see. So the `ETag` of an answer with a user is made of version
 * and content (`variesWithinVersion`), and a cached answer to one caller is never confirmed as current to another.
 */
export const usersRest = [
  route({
    method: 'POST',
    path: '/auth/register',
    operationId: 'register',
    summary: 'Create an account',
    description:
      'The role of a new account is MEMBER, whatever the body says. Emails are unique without regard to case. With `gymId`, the policy of the gym decides whether the membership is ACTIVE at once, or PENDING until the email is verified or the staff agree. A mail asks the user to verify their email.',
    auth: 'ignoreInvalidToken',
    body: RegisterShape,
    rateLimit: REGISTRATION_RATE,
    success: { status: 201, description: 'The new user.', shape: UserShape, variesWithinVersion: true },
    errors: ['CONFLICT', 'INVITATION_REQUIRED'],
    handler: ({ body }, { users }) => users.register(body),
  }),
  route({
    method: 'GET',
    path: '/auth/me',
    operationId: 'getMyAccount',
    summary: "The caller's account; the same as `GET /users/me`",
    auth: 'required',
    rateLimit: AUTH_RATE,
    success: { status: 200, description: 'The user.', shape: UserShape, variesWithinVersion: true },
    handler: (_request, { users }) => users.me(),
  }),
  route({
    method: 'GET',
    path: '/users/me',
    operationId: 'getMyProfile',
    summary: "The caller's account",
    auth: 'required',
    success: { status: 200, description: 'The user.', shape: UserShape, variesWithinVersion: true },
    handler: (_request, { users }) => users.me(),
  }),
  route({
    method: 'GET',
    path: '/users/all',
    operationId: 'listUsers',
    summary: 'Users',
    only: callers('GYM_ADMIN: of their gym; SUPER_ADMIN: all', 'GYM_ADMIN', 'SUPER_ADMIN'),
    scopes: ['members:read'],
    auth: 'required',
    description:
      'With the people who have applied to the gym, and those whose membership has ended. `search` finds a part of the name or the email, without regard to case and accents.',
    query: pageQuery.extend({
      ...gymQuery.shape,
      search: searchText.optional().meta({
        description: 'A part of the name or the email; at most 200 characters.',
      }),
      status: z.enum(MembershipStatus).optional().meta({
        description: 'Only people whose membership has this status.',
      }),
    }),
    success: {
      status: 200,
      description: 'In the order of registration.',
      shape: UserShape,
      page: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { users }) => users.list(query, query),
  }),
  route({
    method: 'GET',
    path: '/users/super-admins',
    operationId: 'listSuperAdmins',
    summary: 'The SUPER_ADMINs, whom users contact for support',
    auth: 'required',
    success: {
      status: 200,
      description: 'The public fields and the email of each SUPER_ADMIN.',
      shape: z.array(UserShape),
    },
    handler: (_request, { users }) => users.superAdmins(),
  }),
  route({
    method: 'GET',
    path: '/auth/email-availability',
    operationId: 'checkEmailAvailability',
    summary: 'Whether an email is free to register',
    only: SERVICES,
    auth: 'required',
    query: z.object({
      email: emailText.meta({ description: 'The email to check; upper and lower case do not matter.' }),
    }),
    rateLimit: SERVICE_RATE,
    success: {
      status: 200,
      description: '`available` is true if no account has the email, without regard to case.',
      shape: z.object({
        email: z.string().meta({ description: 'The checked email.' }),
        available: z.boolean().meta({ description: 'Whether no account has the email.' }),
      }),
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
    operationId: 'getUser',
    summary: 'The profile of a user',
    description:
      'Users see all of their own account, except that only staff see `suspension`. A GYM_ADMIN sees the users of their gym without `body` and `trainingGoals`, and those who have applied to it or left it also without `qrCode`. A SUPER_ADMIN sees every user, without `body` and `trainingGoals`. A machine client sees the people whom a GYM_ADMIN of its gym sees, without `body`, `trainingGoals`, `qrCode`, `emailVerified` and `suspension`; without the scope `members:write`, the reason of the membership is null. Other users of the gym see only the public fields. Every user sees the public fields and the email of a SUPER_ADMIN. Everybody else gets 404.',
    scopes: ['members:read'],
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The user, with the fields that the caller may see.',
      shape: UserShape,
      variesWithinVersion: true,
    },
    handler: ({ params }, { users }) => users.get(params.id),
  }),
];
