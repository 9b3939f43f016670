import { z } from 'zod';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import type { Announcements } from './announcements.ts';
import { AnnouncementShape, CreateAnnouncementInput } from './announcements.shapes.ts';

const route = restRoute<{ announcements: Announcements }>();

export const announcementsRest = [
  route({
    method: 'GET',
    path: '/announcements',
    summary: "The current announcements of the caller's gym, newest first",
    auth: 'required',
    query: gymQuery,
    success: { status: 200, description: 'Those that hold now.', shape: z.array(AnnouncementShape) },
    errors: ['FORBIDDEN', 'GYM_REQUIRED', 'FEATURE_DISABLED'],
    handler: ({ query }, { announcements }) => announcements.current(query.gymId),
  }),
  route({
    method: 'POST',
    path: '/announcements',
    summary: 'Announce something (GYM_ADMIN of the gym, SUPER_ADMIN)',
    auth: 'required',
    body: CreateAnnouncementInput,
    success: { status: 201, description: 'The announcement.', shape: AnnouncementShape },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ body }, { announcements }) => announcements.create(body),
  }),
  route({
    method: 'DELETE',
    path: '/announcements/:id',
    summary: 'Take an announcement back (GYM_ADMIN of the gym, SUPER_ADMIN)',
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'It is gone.' },
    errors: ['FORBIDDEN', 'VERSION_CONFLICT'],
    handler: ({ params, expectedVersion }, { announcements }) =>
      announcements.delete(params.id, expectedVersion),
  }),
];
