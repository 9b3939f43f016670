import { z } from 'zod';
import { uuid } from '../shapes.ts';
import { cursorText } from '../paging.ts';
import { IDENTITY_ONLY } from '../rest/callers.ts';
import { INTERNAL, restRoute } from '../rest/route.ts';
import { RecordsPageShape, ErasureResultShape, type AccountData } from './account-data.ts';

const route = restRoute<{ accountData: AccountData }>(INTERNAL);
const userParams = z.object({ userId: uuid().meta({ description: "The user's id." }) });

/** Requests per minute. The export of a long-used account has many pages, and many accounts may be exported at once. */
const RATE = { name: 'account-data', perMinute: 6_000, by: 'caller' } as const;

/** The two routes by which identity reads and erases what a service stores about a user. Every other service has them. */
export const accountDataRest = [
  route({
    method: 'GET',
    path: '/accounts/:userId/records',
    operationId: 'listAccountRecords',
    summary: 'What this service stores about a user',
    only: IDENTITY_ONLY,
    description:
      'At most 1,000 records per page, one kind after the other. Empty if the service stores nothing about the user. `GET /users/me/export` of the identity service collects these pages.',
    auth: 'required',
    rateLimit: RATE,
    params: userParams,
    query: z.object({
      cursor: cursorText.optional().meta({ description: '`next` of the previous page.' }),
    }),
    success: { status: 200, description: 'A page of records.', shape: RecordsPageShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, query }, { accountData }) => accountData.records(params.userId, query.cursor),
  }),
  route({
    method: 'DELETE',
    path: '/accounts/:userId',
    operationId: 'eraseAccountRecords',
    summary: 'Erase what this service stores about a user',
    only: IDENTITY_ONLY,
    description:
      'The erasure is immediate and final; requests that are still running can store nothing more about the user. A repeated call returns the same result.',
    auth: 'required',
    rateLimit: RATE,
    params: userParams,
    success: { status: 200, description: 'What was done.', shape: ErasureResultShape },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { accountData }) => accountData.erase(params.userId),
  }),
];
