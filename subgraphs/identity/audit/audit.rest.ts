import { pageQuery } from '#server/paging.ts';
import { callers, SUPER_ADMINS } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { gymQuery, uuid } from '#server/shapes.ts';
import { rangeQuery } from '#server/time-range.ts';
import { TAGS } from '../api-tags.ts';
import type { Audit } from './audit.ts';
import { AuditEventShape, AuditFilter } from './audit.shapes.ts';

const route = restRoute<{ audit: Audit }>(TAGS.audit);

const READERS = callers('GYM_ADMIN: of their gym; SUPER_ADMIN: all', 'GYM_ADMIN', 'SUPER_ADMIN');

const userId = uuid().optional().meta({ description: 'Only actions on this user.' });

export const auditRest = [
  route({
    method: 'GET',
    path: '/audit',
    operationId: 'listAccountAuditEvents',
    summary: 'The audit trail of actions on accounts, newest first',
    description:
      'A GYM_ADMIN sees the records of their gym, without log-ins, changes of passwords and reused refresh tokens. Local dates are those of the caller.',
    only: READERS,
    auth: 'required',
    query: pageQuery
      .extend(gymQuery.shape)
      .extend(rangeQuery.shape)
      .extend({
        userId,
        action: AuditFilter.shape.action
          .unwrap()
          .unwrap()
          .optional()
          .meta({ description: 'Only records of this action, such as `ROLE_CHANGED`.' }),
      }),
    success: { status: 200, description: 'A page of records.', shape: AuditEventShape, page: true },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query }, { audit }) => audit.list(query),
  }),
  route({
    method: 'GET',
    path: '/audit-events',
    operationId: 'listAuditEvents',
    summary: 'The audit trail of all accounts, newest first; `GET /audit` has more filters',
    only: SUPER_ADMINS,
    auth: 'required',
    query: pageQuery.extend({ userId }),
    success: { status: 200, description: 'The newest first.', shape: AuditEventShape, page: true },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { audit }) => audit.listAll(query),
  }),
];
