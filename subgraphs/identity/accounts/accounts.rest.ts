import { Reply, restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import type { Accounts } from './accounts.ts';
import { AccountDeletionShape, AccountExportShape, DeleteAccountShape } from './accounts.shapes.ts';

const route = restRoute<{ accounts: Accounts }>();

export const accountsRest = [
  route({
    method: 'GET',
    path: '/users/me/export',
    summary: 'Everything that is held of the caller',
    auth: 'required',
    success: { status: 200, description: 'By service.', shape: AccountExportShape },
    handler: async (_request, { accounts }) =>
      new Reply(200, await accounts.export(), {
        'Content-Disposition': 'attachment; filename="export.json"',
        'Cache-Control': 'private, no-store',
      }),
  }),
  route({
    method: 'DELETE',
    path: '/users/me',
    summary: 'Delete the account of the caller',
    description: 'At once and for good. `Location` leads to the receipt, which tells what each service did.',
    auth: 'required',
    body: DeleteAccountShape,
    success: { status: 204, description: 'The account is deleted.' },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: async ({ body }, { accounts }) =>
      new Reply(204, undefined, { Location: `/account-deletions/${(await accounts.delete(body)).id}` }),
  }),
  route({
    method: 'GET',
    path: '/account-deletions/:id',
    summary: 'The receipt of a deletion',
    description: 'For whoever knows its id, which is random.',
    auth: 'forgiving',
    params: idParams,
    success: {
      status: 200,
      description: 'What each service deleted, anonymised or retained.',
      shape: AccountDeletionShape,
    },
    handler: ({ params }, { accounts }) => accounts.deletion(params.id),
  }),
];
