import type { RestRoute } from '#server/rest/route.ts';
import { subgraphs } from '../subgraphs/index.ts';

const HEAD = `# Who may do what

Made from the REST routes by \`npm run generate\`. Each operation of REST has its twin in the graph, behind which the same rule decides; subscriptions and sockets follow the rules of what they read.

- *everybody*: also callers without an account. *users*: every user who is logged in, for their own data and for the data of their gym. A SUPER_ADMIN sees all gyms.
- If a caller may not see an object, the answer is the same as if it did not exist: 404 \`NOT_FOUND\`. If they may see it, but not do the operation: 403 \`FORBIDDEN\`. If they are not logged in: 401 \`UNAUTHENTICATED\`.
- A gym can switch modules off for its members: 403 \`FEATURE_DISABLED\`.
- The predicates are in each service's \`access.ts\` and in \`server/auth/viewer.ts\`.
`;

/** The text of docs/rights.md. */
export const rightsPage = (): string =>
  [HEAD, ...subgraphs.map(({ name, rest }) => section(name, rest))].join('\n');

const section = (name: string, routes: readonly RestRoute<never>[]): string =>
  [
    `## ${name}`,
    '',
    '| operation | route | for |',
    '|---|---|---|',
    ...routes.map(
      (route) => `| ${route.summary} | \`${route.method} ${route.path}\` | ${audienceOf(route)} |`,
    ),
    '',
  ].join('\n');

const audienceOf = ({ only, auth }: RestRoute<never>): string =>
  only?.note ?? (auth === 'required' ? 'users' : 'everybody');
