import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { rangeQuery } from '#server/time-range.ts';
import { TAGS } from '../api-tags.ts';
import { CheckInShape, PersonInsideShape } from './check-ins.shapes.ts';
import type { LocationVisits } from './location-visits.ts';

const route = restRoute<{ locationVisits: LocationVisits }>(TAGS.checkIns);

/** The callers of all routes of this file. */
const FRONT_DESK = { only: GYM_STAFF, scopes: ['visits:read'], auth: 'required', params: idParams } as const;

export const locationVisitsRest = [
  route({
    ...FRONT_DESK,
    method: 'GET',
    path: '/locations/:id/people',
    operationId: 'listPeopleInside',
    summary: 'The people who are inside a location now, the latest first',
    success: {
      status: 200,
      description: 'Each person with their open visit; at most 1,000.',
      shape: z.array(PersonInsideShape),
    },
    errors: ['FORBIDDEN', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ params }, { locationVisits }) => locationVisits.peopleAt(params.id),
  }),
  route({
    ...FRONT_DESK,
    method: 'GET',
    path: '/locations/:id/visits',
    operationId: 'listVisitsAtLocation',
    summary: 'The visits at a location, newest first',
    description: 'A visit belongs to the time at which it began. Local dates are those of the location.',
    query: pageQuery.extend(rangeQuery.shape),
    success: { status: 200, description: 'A page of visits.', shape: CheckInShape, page: true },
    errors: ['FORBIDDEN'],
    handler: ({ params, query }, { locationVisits }) => locationVisits.list(params.id, query),
  }),
  route({
    ...FRONT_DESK,
    method: 'GET',
    path: '/locations/:id/visits.csv',
    operationId: 'exportVisitsAtLocation',
    summary: 'The visits at a location as CSV, newest first',
    description:
      'RFC 4180, with a header line: id, userId, displayName, checkedInAt, checkedOutAt, method, source. A text that a spreadsheet would run as a formula begins with an apostrophe.',
    query: rangeQuery,
    success: {
      status: 200,
      description: 'A header line and a line for each visit.',
      contentType: 'text/csv',
    },
    errors: ['FORBIDDEN', 'UPSTREAM_UNAVAILABLE'],
    handler: async ({ params, query }, { locationVisits }) =>
      new Reply(200, await locationVisits.csv(params.id, query), {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="visits.csv"',
        'Cache-Control': 'no-store',
      }),
  }),
];
