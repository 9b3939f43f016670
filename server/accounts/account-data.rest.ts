import { z } from 'zod';
import { cursorText } from '../paging.ts';
import { restRoute } from '../rest/route.ts';
import { RecordsPageShape, VerdictShape, type AccountData } from './account-data.ts';

const route = restRoute<{ accountData: AccountData }>();
const userParams = z.object({ userId: z.uuid() });

/** Requests a minute: an export of a long life is many pages, and many leave at once. */
const RATE = { name: 'account-data', perMinute: 6_000, by: 'caller' } as const;

/** The two routes by which identity reaches what a service keeps of a person; the same in every service. */
export const accountDataRest = [
  route({
    method: 'GET',
    path: '/accounts/:userId/records',
    summary: 'What is kept of a person (the identity service alone)',
    description:
      'At most 1,000 records a page, kind by kind; empty where nothing is known of them. `GET /users/me/export` of the identity service is made of it.',
    auth: 'required',
    rateLimit: RATE,
    params: userParams,
    query: z.object({
      cursor: cursorText.optional().meta({ description: '`next` of the page before.' }),
    }),
    success: { status: 200, description: 'A page of records.', shape: RecordsPageShape },
    errors: ['FORBIDDEN'],
    handler: ({ params, query }, { accountData }) => accountData.records(params.userId, query.cursor),
  }),
  route({
    method: 'DELETE',
    path: '/accounts/:userId',
    summary: 'Erase what is kept of a person (the identity service alone)',
    description:
      'At once and for good, and nothing that is under way writes more of them. Repeating it gives the same verdict.',
    auth: 'required',
    rateLimit: RATE,
    params: userParams,
    success: { status: 200, description: 'What was done.', shape: VerdictShape },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { accountData }) => accountData.erase(params.userId),
  }),
];
