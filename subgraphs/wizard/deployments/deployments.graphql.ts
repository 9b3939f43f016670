import type { Resolvers } from '../resolvers.generated.ts';

export const deploymentsGraphql = {
  Mutation: {
    deployWizardSession: (_root, { input: { id, version } }, { deployments }) =>
      deployments.deploy(id, version ?? undefined),
    resolveDeployment: (_root, { input: { id, ...decision } }, { deployments }) =>
      deployments.resolve(id, decision),
  },
} satisfies Resolvers;
