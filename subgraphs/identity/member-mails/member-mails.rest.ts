import { SERVICES } from '#server/rest/callers.ts';
import { INTERNAL, restRoute } from '#server/rest/route.ts';
import { MemberMailInput } from './member-mails.shapes.ts';
import type { MemberMails } from './member-mails.ts';

const route = restRoute<{ memberMails: MemberMails }>(INTERNAL);

export const memberMailsRest = [
  route({
    method: 'POST',
    path: '/member-mails',
    operationId: 'mailMember',
    summary: 'Send a mail to a user',
    description: 'No mail is sent if the account has been deleted.',
    only: SERVICES,
    auth: 'required',
    body: MemberMailInput,
    success: { status: 204, description: 'The mail is sent.' },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { memberMails }) => memberMails.send(body),
  }),
];
