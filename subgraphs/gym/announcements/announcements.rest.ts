import { z } from 'zod';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Announcements } from './announcements.ts';
import {
  AnnouncementShape,
  CreateAnnouncementInput,
  UpdateAnnouncementInput,
} from './announcements.shapes.ts';

const route = restRoute<{ announcements: Announcements }>(TAGS.announcements, 'feed');

export const announcementsRest = [
  route({
    method: 'GET',
    path: '/announcements',
    operationId: 'listAnnouncements',
    summary: "The current announcements of the caller's gym, newest first",
    auth: 'required',
    query: gymQuery,
    success: { status: 200, description: 'The current announcements.', shape: z.array(AnnouncementShape) },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { announcements }) => announcements.current(query.gymId),
  }),
  route({
    method: 'POST',
    path: '/announcements',
    operationId: 'createAnnouncement',
    summary: 'Publish an announcement',
    only: GYM_STAFF,
    auth: 'required',
    body: CreateAnnouncementInput,
    success: { status: 201, description: 'The announcement.', shape: AnnouncementShape },
    errors: ['FORBIDDEN', 'CONFLICT', 'GYM_REQUIRED'],
    handler: ({ body }, { announcements }) => announcements.create(body),
  }),
  route({
    method: 'PUT',
    path: '/announcements/:id',
    operationId: 'updateAnnouncement',
    summary: 'Change an announcement; audited',
    description: 'Absent fields are unchanged. `endsAt: null` makes it valid until it is deleted.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    body: UpdateAnnouncementInput,
    versioned: true,
    success: { status: 200, description: 'The changed announcement.', shape: AnnouncementShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, body, expectedVersion }, { announcements }) =>
      announcements.update(params.id, body, expectedVersion),
  }),
  route({
    method: 'DELETE',
    path: '/announcements/:id',
    operationId: 'deleteAnnouncement',
    summary: 'Delete an announcement; audited',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The announcement is deleted.' },
    errors: ['FORBIDDEN', 'VERSION_CONFLICT'],
    handler: ({ params, expectedVersion }, { announcements }) =>
      announcements.delete(params.id, expectedVersion),
  }),
];
