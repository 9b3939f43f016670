import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { idParams, uuid } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { CheckIns } from './check-ins.ts';
import type { Denials } from './denials.ts';
import {
  CheckedInShape,
  CheckInInput,
  CheckInShape,
  CheckOutInput,
  DenialShape,
} from './check-ins.shapes.ts';

const route = restRoute<{ checkIns: CheckIns; denials: Denials }>(TAGS.checkIns);

export const checkInsRest = [
  route({
    method: 'POST',
    path: '/locations/check-in',
    operationId: 'checkIn',
    summary: 'Check a member in by their QR code',
    description:
      'Members present their own code, staff and machine clients any code of their gym; they also get the name, the picture and the membership of the member. Outside of the opening hours, or if the location is full, only staff can let a member in, with `override`. A second scan at the same location during an open visit answers 200 with the same visit and `duplicate: true`; an open visit at another location ends.',
    scopes: ['check-in'],
    auth: 'required',
    body: CheckInInput,
    success: {
      status: 201,
      description: 'The visit.',
      shape: CheckedInShape,
      otherwise: { status: 200, description: 'The visit that was open already, with `duplicate: true`.' },
    },
    errors: [
      'FORBIDDEN',
      'WRONG_GYM',
      'MEMBERSHIP_INACTIVE',
      'ACCOUNT_SUSPENDED',
      'NOT_FOUND',
      'QR_UNKNOWN',
      'QR_EXPIRED',
      'QR_POLICY',
      'LOCATION_CLOSED',
      'LOCATION_FULL',
      'GYM_REQUIRED',
      'UPSTREAM_UNAVAILABLE',
    ],
    handler: async ({ body }, { checkIns }) => {
      const visit = await checkIns.checkIn(body);
      return new Reply(visit.duplicate ? 200 : 201, visit);
    },
  }),
  route({
    method: 'POST',
    path: '/locations/check-out',
    operationId: 'checkOut',
    summary: 'End an open visit',
    description:
      "Ends the visit of the member with the presented code, or of `userId` (only for staff and machine clients); without both, the caller's own visit.",
    scopes: ['check-in'],
    auth: 'required',
    body: CheckOutInput,
    success: { status: 200, description: 'The ended visit.', shape: CheckInShape },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'QR_UNKNOWN', 'QR_EXPIRED', 'UPSTREAM_UNAVAILABLE'],
    handler: ({ body }, { checkIns }) => checkIns.checkOut(body),
  }),
  route({
    method: 'GET',
    path: '/check-ins',
    operationId: 'listVisits',
    summary: 'Visits of a member, newest first',
    description:
      "The caller's own visits, or with `userId` those of a member of the gym that the caller manages.",
    auth: 'required',
    query: pageQuery.extend({
      userId: uuid()
        .optional()
        .meta({ description: 'The member whose visits are listed. Default: the caller.' }),
    }),
    success: { status: 200, description: 'A page of visits.', shape: CheckInShape, page: true },
    errors: ['NOT_FOUND'],
    handler: ({ query: { userId, ...page }, viewer }, { checkIns }) =>
      checkIns.ofUser(userId ?? (viewer.kind === 'user' ? viewer.userId : ''), page),
  }),
  route({
    method: 'DELETE',
    path: '/check-ins/:id',
    operationId: 'undoCheckIn',
    summary: 'Undo a check-in; audited',
    description:
      'A booking that is ATTENDED because of the visit is BOOKED again, or a NO_SHOW if the session is over, unless staff have recorded the attendance.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    success: { status: 204, description: 'The visit no longer counts.' },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { checkIns }) => checkIns.undo(params.id),
  }),
  route({
    method: 'GET',
    path: '/locations/:id/denials',
    operationId: 'listDenials',
    summary: 'Denials (refused check-ins) at a location, newest first',
    only: GYM_STAFF,
    scopes: ['visits:read'],
    auth: 'required',
    params: idParams,
    query: pageQuery,
    success: {
      status: 200,
      description: 'A page of denials, each with its reason.',
      shape: DenialShape,
      page: true,
    },
    errors: ['FORBIDDEN'],
    handler: ({ params, query }, { denials }) => denials.list(params.id, query),
  }),
];
