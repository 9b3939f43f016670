import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery } from '#server/shapes.ts';
import { rangeQuery } from '#server/time-range.ts';
import { TAGS } from '../api-tags.ts';
import type { AuditTrail } from './audit-trail.ts';
import { actionName, GymAuditEventShape } from './audit.shapes.ts';

const route = restRoute<{ auditTrail: AuditTrail }>(TAGS.audit);

export const auditRest = [
  route({
    method: 'GET',
    path: '/audit',
    operationId: 'listGymAuditEvents',
    summary: 'The audit trail of a gym: what staff and services did, newest first',
    description: "Local dates are those of the gym's time zone.",
    only: GYM_STAFF,
    auth: 'required',
    query: pageQuery
      .extend(gymQuery.shape)
      .extend(rangeQuery.shape)
      .extend({ action: actionName.optional() }),
    success: { status: 200, description: 'A page of records.', shape: GymAuditEventShape, page: true },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { auditTrail }) => auditTrail.list(query),
  }),
];
