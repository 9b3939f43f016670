import { z } from 'zod';
import { TAGS } from '../api-tags.ts';
import { callers } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { flag, gymQuery, idParams } from '#server/shapes.ts';
import { formatOf, IMPORT_FORMATS, MAX_IMPORT_LINES } from './import-lines.ts';
import type { UserImports } from './user-imports.ts';
import { UserImportLinesQuery, UserImportShape, UserImportWithLinesShape } from './user-imports.shapes.ts';

const route = restRoute<{ userImports: UserImports }>(TAGS.users);

export const userImportsRest = [
  route({
    method: 'POST',
    path: '/users/import',
    operationId: 'importUsers',
    summary: 'Import members of a gym',
    only: callers('GYM_ADMIN: into their gym; SUPER_ADMIN: into any', 'GYM_ADMIN', 'SUPER_ADMIN'),
    scopes: ['members:write'],
    description:
      `The body is JSON lines, each \`{"email", "displayName"}\`, or CSV with these two columns; at most 16 MiB and ${MAX_IMPORT_LINES} lines. ` +
      'The answer comes when the whole file is stored; its lines are written afterwards, and GET /users/imports/:id shows the result of each. Each new account is a MEMBER without a password. ' +
      'A line whose email has an account already changes nothing, so a file can be sent again after an interruption.',
    auth: 'required',
    query: z.object({
      ...gymQuery.shape,
      invite: flag.optional().meta({
        description:
          'Whether each new member gets a mail with a token to set their password. Default: false.',
      }),
    }),
    consumes: Object.values(IMPORT_FORMATS),
    success: { status: 202, description: 'The import. `Location` is its path.', shape: UserImportShape },
    errors: ['FORBIDDEN', 'GYM_REQUIRED', 'PAYLOAD_TOO_LARGE'],
    handler: async ({ stream, query, header }, { userImports }) => {
      const received = await userImports.receive(stream, {
        ...query,
        format: formatOf(header('content-type')),
      });
      return new Reply(202, received, { Location: `/users/imports/${received.id}` });
    },
  }),
  route({
    method: 'GET',
    path: '/users/imports/:id',
    operationId: 'getUserImport',
    summary: 'The progress and the lines of an import of members',
    only: callers('GYM_ADMIN: of their gym; SUPER_ADMIN: all', 'GYM_ADMIN', 'SUPER_ADMIN'),
    scopes: ['members:write'],
    description: 'Imports are removed 30 days after they began; the accounts stay.',
    auth: 'required',
    params: idParams,
    query: UserImportLinesQuery,
    success: { status: 200, description: 'The import.', shape: UserImportWithLinesShape },
    handler: ({ params, query }, { userImports }) => userImports.withLines(params.id, query),
  }),
];
