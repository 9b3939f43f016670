import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { IdentityResources } from './resources.ts';
import { Sessions } from './sessions/sessions.ts';
import { Users } from './users/users.ts';

/** The rules of this service, made for one unit of work. */
export const identityServices = (unit: UnitOfWork, { keys, passwords, tokens }: IdentityResources) => ({
  keys,
  users: new Users(unit, passwords),
  sessions: new Sessions(unit, passwords, tokens),
});

export type IdentityServices = ReturnType<typeof identityServices>;
export type Context = GraphContext<IdentityServices>;
