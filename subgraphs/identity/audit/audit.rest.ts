import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { SUPER_ADMINS } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import type { Audit } from './audit.ts';
import { AuditEventShape } from './audit.shapes.ts';

const route = restRoute<{ audit: Audit }>(TAGS.audit);

export const auditRest = [
  route({
    method: 'GET',
    path: '/audit-events',
    operationId: 'listAuditEvents',
    summary: 'The audit trail of actions on accounts, the newest first',
    only: SUPER_ADMINS,
    auth: 'required',
    query: pageQuery.extend({
      userId: z.uuid().optional().meta({ description: 'Only actions on this user.' }),
    }),
    success: { status: 200, description: 'The newest first.', shape: AuditEventShape, page: true },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { audit }) => audit.list(query),
  }),
];
