import { defineSubgraph } from '#server/define-subgraph.ts';
import { database } from './database.ts';
import { demo } from './demo.ts';
import { keysRest } from './keys/keys.rest.ts';
import { identityResources } from './resources.ts';
import { identityServices } from './services.ts';
import { isRefused } from './sessions/ended-sessions.ts';
import { sessionsGraphql } from './sessions/sessions.graphql.ts';
import { sessionsRest } from './sessions/sessions.rest.ts';
import { identitySettings } from './settings.ts';
import { usersGraphql } from './users/users.graphql.ts';
import { usersRest } from './users/users.rest.ts';

export const identity = defineSubgraph({
  name: 'identity',
  title: 'Identity service',
  description: 'Accounts, log-in, profiles and roles.',
  settings: identitySettings,
  database,
  resources: identityResources,
  services: identityServices,
  // By its own database: without a way round over HTTP, and without the delay that other services have.
  tokenChecks: ({ keys, orm }) => ({
    keys,
    isRevoked: (viewer) => viewer.kind === 'user' && isRefused(orm.em.fork(), viewer.sessionId, viewer.expiresAt),
  }),
  graphql: [usersGraphql, sessionsGraphql],
  rest: [...usersRest, ...sessionsRest, ...keysRest],
  demo: (_services, unit, { passwords }) => demo(unit, passwords),
});
