import { Reply, restRoute } from '#server/rest/route.ts';
import { z } from 'zod';
import { idParams } from '#server/shapes.ts';
import type { Accounts } from './accounts.ts';
import {
  AccountDeletionShape,
  AccountDocumentShape,
  AccountExportShape,
  DeleteAccountShape,
} from './accounts.shapes.ts';
import { EXPORT_RATE } from '../rates.ts';
import type { AccountExports } from './exports.ts';

const route = restRoute<{ accounts: Accounts; accountExports: AccountExports }>();

const DOWNLOAD = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Disposition': 'attachment; filename="export.json"',
  'Cache-Control': 'private, no-store',
};

export const accountsRest = [
  route({
    method: 'GET',
    path: '/users/me/export',
    summary: 'Everything that all services hold of the caller',
    description:
      'One document, when it is complete. Where a service does not answer: 503 with its name; the export goes on by itself, and the message tells where to fetch it.',
    auth: 'required',
    rateLimit: EXPORT_RATE,
    success: { status: 200, description: 'By service and kind.', shape: AccountDocumentShape },
    errors: ['UPSTREAM_UNAVAILABLE'],
    handler: async (_request, { accountExports }) => new Reply(200, await accountExports.now(), DOWNLOAD),
  }),
  route({
    method: 'POST',
    path: '/users/me/exports',
    summary: 'Have an export made of everything that all services hold of the caller',
    description:
      'It is made in the background, also while a service is down, and kept for 7 days. One at a time: while one is under way it is the answer.',
    auth: 'required',
    rateLimit: EXPORT_RATE,
    success: { status: 202, description: 'The export, under way.', shape: AccountExportShape },
    handler: (_request, { accountExports }) => accountExports.request(),
  }),
  route({
    method: 'GET',
    path: '/users/me/exports',
    summary: 'The exports of the caller, the newest first',
    auth: 'required',
    success: { status: 200, description: 'Those that have not expired.', shape: z.array(AccountExportShape) },
    handler: (_request, { accountExports }) => accountExports.list(),
  }),
  route({
    method: 'GET',
    path: '/users/me/exports/:id',
    summary: 'How far an export of the caller is',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The export.', shape: AccountExportShape },
    handler: ({ params }, { accountExports }) => accountExports.get(params.id),
  }),
  route({
    method: 'GET',
    path: '/users/me/exports/:id/document',
    summary: 'The document of an export of the caller',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'By service and kind.', shape: AccountDocumentShape },
    errors: ['CONFLICT'],
    handler: async ({ params }, { accountExports }) =>
      new Reply(200, await accountExports.document(params.id), DOWNLOAD),
  }),
  route({
    method: 'DELETE',
    path: '/users/me',
    summary: 'Delete the account of the caller',
    description:
      'At once and for good: log-ins, profile and access tokens end here, the other services follow as soon as each answers. `Location` leads to the receipt, which tells what each did.',
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
