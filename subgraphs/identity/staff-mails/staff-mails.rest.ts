import { SERVICES } from '#server/rest/callers.ts';
import { INTERNAL, restRoute } from '#server/rest/route.ts';
import { StaffMailInput } from './staff-mails.shapes.ts';
import type { StaffMails } from './staff-mails.ts';

const route = restRoute<{ staffMails: StaffMails }>(INTERNAL);

export const staffMailsRest = [
  route({
    method: 'POST',
    path: '/staff-mails',
    operationId: 'mailStaff',
    summary: 'Send a mail to the staff of a gym',
    description: 'To the GYM_ADMINs of the gym; to the SUPER_ADMINs if it has none, or if no gym is named.',
    only: SERVICES,
    auth: 'required',
    body: StaffMailInput,
    success: { status: 204, description: 'The mail is stored; a job sends it to each of them.' },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { staffMails }) => staffMails.send(body),
  }),
];
