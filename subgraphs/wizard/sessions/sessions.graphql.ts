import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import type { Context } from '../services.ts';

export const sessionsGraphql = {
  Query: {
    wizardSession: (_root, { id, resumeToken }, { sessions }) => orNull(sessions.get(id, resumeToken)),
    wizardSessions: async (_root, args, { sessions }) =>
      connectionOf(await sessions.list(args, pageOf(args))),
  },
  Mutation: {
    createWizardSession: (_root, { input }, { sessions }) => sessions.create(input),
    updateWizardSession: (_root, { input: { id, resumeToken, ...change } }, { sessions }) =>
      sessions.update(id, change, resumeToken),
    claimWizardSession: (_root, { input: { id, ...input } }, { sessions }) => sessions.claim(id, input),
    cancelWizardSession: (_root, { input: { id, resumeToken, version } }, { sessions }) =>
      sessions.cancel(id, resumeToken, version ?? undefined),
  },
  Subscription: {
    wizardDeploymentUpdated: {
      subscribe: (_root, { sessionId }, { sessions }) => sessions.changes(sessionId),
      resolve: ({ sessionId }: { sessionId: string }, _args: unknown, { sessions }: Context) =>
        sessions.get(sessionId),
    },
  },
  WizardSession: {
    __resolveReference: async ({ id }, { sessions }) => sessions.get(id),
    resumeToken: (session) => session.resumeToken ?? null,
  },
  WizardDeploymentAction: {
    error: (action) => action.error ?? null,
    undoError: (action) => action.undoError ?? null,
  },
  User: {
    wizardSessions: async (user, args, { sessions }) =>
      connectionOf(await sessions.ofUser(user.id, args, pageOf(args))),
  },
} satisfies Resolvers;
