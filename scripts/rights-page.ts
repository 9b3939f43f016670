import { audienceOf } from '#server/rest/openapi.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { subgraphs } from '../subgraphs/index.ts';

const HEAD = `# Who may do what

Made from the REST routes by \`npm run generate\`. The column *for* says which callers the route accepts; the paragraph above each table says which data such a caller gets.

- *everybody*: also callers without an account. *users*: every user who is logged in, whatever their role.
- If a caller may not see an object, the answer is the same as if it did not exist: 404 \`NOT_FOUND\`. If they may see it, but not do the operation: 403 \`FORBIDDEN\`. If they are not logged in: 401 \`UNAUTHENTICATED\`.
- A machine client may use the routes that name one of its scopes, in its gym (and at its location, if it has one), and those for everybody. Every other route refuses it.
- A gym can switch modules off for its members: 403 \`FEATURE_DISABLED\`.
- The graph has fields for the same operations, except those that only services and machine clients call, and some whose answer is a file, such as \`GET /trainings/export.csv\`. The same rule decides for the field and for the route. A subscription or the socket shows only what the same caller may read.
- The predicates are in each service's \`access.ts\` (of squad in \`presence/visibility.ts\` and \`squads/squad-rights.ts\`), and in \`server/auth/viewer.ts\`.
`;

/** Which data a caller gets, by service. */
const DATA: Readonly<Record<string, string>> = {
  identity:
    'Users read and change their own account; of SUPER_ADMINs and of the other users of their gym they see the public fields. Staff and machine clients also see the people who have applied to their gym, and those who have left it. A receipt of a deletion can be read by everybody who knows its id, which is random. `POST /auth/token` needs a client id and a secret.',
  gym: 'Users read the data of their own gym, a SUPER_ADMIN that of any gym. A member reads their own visits and checks in with their own QR code; staff do both for the members of the gym. A user places and reads their own orders, and may cancel an order that is still PLACED; staff read the orders of the gym, move them to their next status, and may cancel them until they are collected. *The wizard service* creates what a deployed set-up of a gym contains.',
  wizard:
    'A path with `/:sessionId` is for the owner of the session and for a SUPER_ADMIN. A session without an account is for whoever sends its resume token (`X-Resume-Token`).',
  nutrition:
    'Users read and change only their own food log, goals, imports, own foods and favourites; no admin reads those of others. Everybody may read the food table.',
  content:
    'Everybody may read the library, and global routines and products; users also read those of their own gym, and a SUPER_ADMIN those of any gym. Only the owner may read a private routine or a custom exercise, with two exceptions. While an open squad trains a private routine, the participants of the squad and the users who were invited to it may also read the version that the squad trains. Whoever may read a routine may also read the custom exercises that it uses. Trainings, and what is computed from them, can be read and changed only by their owner.',
  squad:
    'Users see and invite users of their own gym, but nobody who has blocked them or whom they have blocked; a SUPER_ADMIN may name any gym. A squad is for its participants and the users who were invited to it. Of history, blocks and invites, users see only their own.',
};

/** The text of docs/rights.md. */
export const rightsPage = (): string =>
  [HEAD, ...subgraphs.map(({ name, rest }) => section(name, rest))].join('\n');

const section = (name: string, routes: readonly RestRoute<never>[]): string =>
  [
    `## ${name}`,
    '',
    ...(DATA[name] ? [DATA[name], ''] : []),
    '| operation | route | for |',
    '|---|---|---|',
    ...routes.map(
      (route) => `| ${route.summary} | \`${route.method} ${route.path}\` | ${audienceOf(route)} |`,
    ),
    '',
  ].join('\n');
