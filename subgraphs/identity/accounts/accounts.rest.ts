import { Reply, restRoute } from '#server/rest/route.ts';
import { z } from 'zod';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Accounts } from './accounts.ts';
import {
  AccountDeletionShape,
  AccountDocumentShape,
  AccountExportShape,
  DeleteAccountShape,
} from './accounts.shapes.ts';
import { EXPORT_RATE } from '../rates.ts';
import type { AccountExports } from './exports.ts';

const route = restRoute<{ accounts: Accounts; accountExports: AccountExports }>(TAGS.personalData);

const DOWNLOAD = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Disposition': 'attachment; filename="export.json"',
  'Cache-Control': 'private, no-store',
};

export const accountsRest = [
  route({
    method: 'GET',
    path: '/users/me/export',
    operationId: 'exportMyData',
    summary: 'Everything that all services store about the caller',
    description:
      'Waits for the complete document. If a service does not answer, the answer is 503 with the name of that service; the export continues in the background, and the message says where to download it.',
    auth: 'required',
    rateLimit: EXPORT_RATE,
    success: {
      status: 200,
      description: 'The records, by service and kind.',
      shape: AccountDocumentShape,
      streamed: true,
    },
    errors: ['UPSTREAM_UNAVAILABLE'],
    handler: async (_request, { accountExports }) => new Reply(200, await accountExports.now(), DOWNLOAD),
  }),
  route({
    method: 'POST',
    path: '/users/me/exports',
    operationId: 'requestMyExport',
    summary: 'Request an export of everything that all services store about the caller',
    description:
      'The export is made in the background, also while a service is down, and kept for 7 days. A user has one running export at a time: another request returns the running one.',
    auth: 'required',
    rateLimit: EXPORT_RATE,
    success: { status: 202, description: 'The running export.', shape: AccountExportShape },
    handler: (_request, { accountExports }) => accountExports.request(),
  }),
  route({
    method: 'GET',
    path: '/users/me/exports',
    operationId: 'listMyExports',
    summary: "The caller's exports, the newest first",
    auth: 'required',
    success: {
      status: 200,
      description: 'The exports that have not expired.',
      shape: z.array(AccountExportShape),
    },
    handler: (_request, { accountExports }) => accountExports.list(),
  }),
  route({
    method: 'GET',
    path: '/users/me/exports/:id',
    operationId: 'getMyExport',
    summary: "The state of one of the caller's exports",
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The export.', shape: AccountExportShape },
    handler: ({ params }, { accountExports }) => accountExports.get(params.id),
  }),
  route({
    method: 'GET',
    path: '/users/me/exports/:id/document',
    operationId: 'getMyExportDocument',
    summary: "The document of one of the caller's exports",
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The records, by service and kind.',
      shape: AccountDocumentShape,
      streamed: true,
    },
    errors: ['CONFLICT'],
    handler: async ({ params }, { accountExports }) =>
      new Reply(200, await accountExports.document(params.id), DOWNLOAD),
  }),
  route({
    method: 'DELETE',
    path: '/users/me',
    operationId: 'deleteMyAccount',
    summary: "Delete the caller's account",
    description:
      'The deletion is immediate and final. Identity deletes the profile and ends all sessions at once; each other service erases its part as soon as it can be reached. `Location` is the path of the receipt, which says what each service did.',
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
    operationId: 'getDeletionReceipt',
    summary: 'The receipt of a deletion',
    description: 'Every caller who knows its id may read it; the id is random.',
    auth: 'ignoreInvalidToken',
    params: idParams,
    success: {
      status: 200,
      description: 'What each service deleted, anonymised or retained.',
      shape: AccountDeletionShape,
    },
    handler: ({ params }, { accounts }) => accounts.deletion(params.id),
  }),
];
