import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF, SERVICES, SUPER_ADMINS, callers } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { flag, idOrName, uuid } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Configs } from './configs.ts';
import type { Gyms } from './gyms.ts';
import {
  CreateGymInput,
  DraftInput,
  DraftShape,
  GymConfigShape,
  GymShape,
  RollbackInput,
  UpdateGymConfigShape,
  UpdateGymInput,
} from './gyms.shapes.ts';

const route = restRoute<{ gyms: Gyms; configs: Configs }>(TAGS.gyms);
const params = z.object({ gymId: idOrName().meta({ description: 'Id or slug of the gym.' }) });

export const gymsRest = [
  route({
    method: 'GET',
    path: '/gyms',
    operationId: 'listGyms',
    summary: 'Gyms, by name',
    description: 'The active gyms; with `active=false` those that are not active.',
    auth: 'optional',
    query: z.object({
      name: z
        .string()
        .max(120)
        .optional()
        .meta({ description: 'Only gyms of this name, without regard to case.' }),
      active: flag.optional().meta({
        description: 'With `false`, for a SUPER_ADMIN: the gyms that are not active.',
      }),
    }),
    success: { status: 200, description: 'The gyms.', shape: z.array(GymShape) },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { gyms }) => gyms.list(query),
  }),
  route({
    method: 'POST',
    path: '/gyms',
    operationId: 'createGym',
    summary: 'Add a gym',
    only: callers('SUPER_ADMIN, services', 'SUPER_ADMIN', 'SERVICE'),
    auth: 'required',
    body: CreateGymInput,
    success: { status: 201, description: 'The gym.', shape: GymShape },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ body }, { gyms }) => gyms.create(body),
  }),
  route({
    method: 'GET',
    path: '/gyms/:gymId',
    operationId: 'getGym',
    summary: 'A gym',
    auth: 'optional',
    params,
    success: { status: 200, description: 'The gym.', shape: GymShape },
    handler: ({ params: { gymId } }, { gyms }) => gyms.get(gymId),
  }),
  route({
    method: 'PUT',
    path: '/gyms/:gymId',
    operationId: 'updateGym',
    summary: 'Change the name, time zone, join policy or activity of a gym',
    only: GYM_STAFF,
    description:
      'Fields that are absent or null are unchanged. Only a SUPER_ADMIN changes `active`. In a gym that is not active, nobody joins, checks in, books or orders, and nobody adds locations, classes, challenges, posts, comments, announcements or webhooks; what is stored can be read. Audited.',
    auth: 'required',
    params: z.object({ gymId: uuid().meta({ description: "The gym's id." }) }),
    body: UpdateGymInput,
    versioned: true,
    success: { status: 200, description: 'The changed gym.', shape: GymShape },
    errors: ['FORBIDDEN', 'VERSION_CONFLICT'],
    handler: ({ params: { gymId }, body, expectedVersion }, { gyms }) =>
      gyms.update(gymId, body, expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/gyms/:gymId/open',
    operationId: 'openGym',
    summary: 'Open a gym that the calling service has created',
    only: SERVICES,
    description: 'Until the gym is open, only that service can see it. A repeated call changes nothing.',
    auth: 'required',
    params: z.object({ gymId: uuid().meta({ description: "The gym's id." }) }),
    success: { status: 200, description: 'The gym, now visible to everybody.', shape: GymShape },
    errors: ['FORBIDDEN'],
    handler: ({ params: { gymId } }, { gyms }) => gyms.open(gymId),
  }),
  route({
    method: 'DELETE',
    path: '/gyms/:gymId',
    operationId: 'withdrawGym',
    summary: 'Withdraw a gym that the calling service has created',
    only: SERVICES,
    description:
      'Deletes the gym with its locations and configuration. Refused once the gym is in use: if it has a visit, booking, order, post, challenge, announcement, product or program.',
    auth: 'required',
    params: z.object({ gymId: uuid().meta({ description: "The gym's id." }) }),
    success: { status: 204, description: 'The gym is deleted.' },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params: { gymId } }, { gyms }) => gyms.withdraw(gymId),
  }),
  route({
    method: 'GET',
    path: '/gym/config/:gymId',
    operationId: 'getGymConfig',
    summary: 'Branding and feature configuration of a gym',
    auth: 'optional',
    params,
    success: { status: 200, description: 'Theme, assets and features.', shape: GymConfigShape },
    handler: async ({ params: { gymId } }, { gyms }) => (await gyms.get(gymId)).config,
  }),
  route({
    method: 'PUT',
    path: '/gym/config',
    operationId: 'publishGymConfig',
    summary: 'Publish the branding and feature configuration of a gym',
    only: callers('SUPER_ADMIN, services', 'SUPER_ADMIN', 'SERVICE'),
    description:
      'Theme, assets and features are merged by RFC 7396: objects are merged key by key at every depth; any other value, also a list, replaces the stored one; null removes the key; an absent key is unchanged. The primary colour cannot be removed. Every value under `theme.colors` must be a colour, except below keys that begin with `x-`; other texts of the theme must not contain characters that end a CSS value, such as `;` and `}`; every text of `assets` is an http(s) URL or a path.',
    auth: 'required',
    body: UpdateGymConfigShape,
    versioned: true,
    success: {
      status: 200,
      description: 'The published configuration.',
      shape: GymConfigShape,
    },
    errors: ['FORBIDDEN'],
    handler: ({ body, expectedVersion }, { configs }) => configs.update(body, expectedVersion),
  }),
  route({
    method: 'GET',
    path: '/gym/config/:gymId/draft',
    operationId: 'getGymConfigDraft',
    summary: 'The draft of the next configuration',
    only: SUPER_ADMINS,
    auth: 'required',
    params,
    success: { status: 200, description: 'The draft.', shape: DraftShape },
    errors: ['FORBIDDEN'],
    handler: ({ params: { gymId } }, { configs }) => configs.draft(gymId),
  }),
  route({
    method: 'PUT',
    path: '/gym/config/:gymId/draft',
    operationId: 'saveGymConfigDraft',
    summary: 'Save the draft; the first change creates it from the published configuration',
    only: SUPER_ADMINS,
    description:
      'Theme, assets and features are merged by RFC 7396: objects are merged key by key at every depth; any other value, also a list, replaces the stored one; null removes the key; an absent key is unchanged.',
    auth: 'required',
    params,
    body: DraftInput,
    versioned: true,
    success: { status: 200, description: 'The draft.', shape: DraftShape },
    errors: ['FORBIDDEN', 'VERSION_CONFLICT'],
    handler: ({ params: { gymId }, body, expectedVersion }, { configs }) =>
      configs.saveDraft(gymId, body, expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/gym/config/:gymId/publish',
    operationId: 'publishGymConfigDraft',
    summary: 'Publish the draft',
    only: SUPER_ADMINS,
    description: 'VERSION_CONFLICT if another configuration was published after the draft was created.',
    auth: 'required',
    params,
    success: {
      status: 200,
      description: 'The published configuration.',
      shape: GymConfigShape,
    },
    errors: ['FORBIDDEN', 'CONFLICT', 'VERSION_CONFLICT'],
    handler: ({ params: { gymId } }, { configs }) => configs.publish(gymId),
  }),
  route({
    method: 'GET',
    path: '/gym/config/:gymId/history',
    operationId: 'listGymConfigVersions',
    summary: 'Published versions, newest first',
    only: GYM_STAFF,
    auth: 'required',
    params,
    query: pageQuery,
    success: { status: 200, description: 'A page of versions.', shape: GymConfigShape, page: true },
    errors: ['FORBIDDEN'],
    handler: ({ params: { gymId }, query }, { configs }) => configs.history(gymId, query),
  }),
  route({
    method: 'POST',
    path: '/gym/config/:gymId/rollback',
    operationId: 'rollBackGymConfig',
    summary: 'Publish an earlier version again, as the next version',
    only: SUPER_ADMINS,
    auth: 'required',
    params,
    body: RollbackInput,
    success: {
      status: 200,
      description: 'The published configuration.',
      shape: GymConfigShape,
    },
    errors: ['FORBIDDEN'],
    handler: ({ params: { gymId }, body }, { configs }) => configs.rollback(gymId, body),
  }),
  route({
    method: 'GET',
    path: '/gym/config/:gymId/tokens',
    operationId: 'getDesignTokens',
    summary: 'The theme as W3C design tokens',
    auth: 'optional',
    params,
    success: {
      status: 200,
      description: 'Design Tokens Format Module, 2025.10.',
      contentType: 'application/design-tokens+json',
      shape: z.record(z.string(), z.unknown()),
    },
    handler: async ({ params: { gymId } }, { configs }) =>
      new Reply(200, JSON.stringify(await configs.designTokens(gymId)), {
        'Content-Type': 'application/design-tokens+json; charset=utf-8',
        'Cache-Control': 'public, max-age=60',
      }),
  }),
];
