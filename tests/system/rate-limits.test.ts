import { describe, expect, it } from '@jest/globals';
import type { AnySubgraph } from '#server/define-subgraph.ts';
import type { RestRoute } from '#server/rest/route.ts';
import { subgraphs } from '../../subgraphs/index.ts';

/** For routes with a rate limit of their own, the field of the graph that does the same. */
const TWINS: Record<string, string> = {
  'POST /auth/register': 'Mutation.register',
  'POST /auth/login': 'Mutation.login',
  'POST /invitations/:id/resend': 'Mutation.resendInvitation',
  'POST /auth/refresh': 'Mutation.refreshToken',
  'POST /auth/logout': 'Mutation.logout',
  'GET /auth/sessions': 'Query.sessions',
  'DELETE /auth/sessions/:id': 'Mutation.endSession',
  'POST /auth/password': 'Mutation.changePassword',
  'POST /auth/password-reset': 'Mutation.requestPasswordReset',
  'POST /auth/password-reset/confirm': 'Mutation.resetPassword',
  'POST /auth/verify-email': 'Mutation.verifyEmail',
  'POST /auth/verify-email/resend': 'Mutation.resendVerification',
  'POST /gyms/:id/join': 'Mutation.joinGym',
  'POST /auth/qr/rotate': 'Mutation.rotateQrCode',
  'POST /auth/keys/rotate': 'Mutation.rotateSigningKey',
  'GET /users/me/export': 'Query.exportMyAccount',
  'POST /users/me/exports': 'Mutation.requestAccountExport',
  'GET /check-availability': 'Query.checkAvailability',
  'POST /': 'Mutation.createWizardSession',
  'POST /:sessionId/uploads': 'Mutation.uploadWizardFile',
  'POST /analyze': 'Mutation.analyzeFood',
  'POST /groups': 'Mutation.createGroup',
  'POST /squads/:id/messages/:messageId/report': 'Mutation.reportSquadMessage',
};
/** For each other route with a rate limit of its own, the reason why no field has the same limit. */
const WITHOUT_TWIN: Record<string, string> = {
  'GET /auth/me': 'Query.me is the entry to all data of a user, and has the general limit of the graph.',
  'POST /auth/token': 'Services and machine clients get their tokens by REST only.',
  'GET /auth/ended-sessions': 'Only services call it.',
  'GET /auth/email-availability': 'Only services call it.',
  'GET /memberships': 'Only services call it.',
  'POST /memberships/ended': 'Only services call it.',
  'POST /users/lookup': 'Only services call it.',
  'DELETE /accounts/:userId': 'Only services call it.',
  'GET /accounts/:userId/records': 'Only services call it.',
  'PUT /squads/:squadId/trainings/:userId': 'Only services call it.',
  'GET /training-counts': 'Only services call it.',
  'GET /trained-routines/:userId': 'Only services call it.',
};

const limitedRoutes = subgraphs.flatMap((subgraph: AnySubgraph) =>
  (subgraph.rest as readonly RestRoute<never>[]).flatMap((route) =>
    route.rateLimit ? [{ subgraph, name: `${route.method} ${route.path}`, limit: route.rateLimit }] : [],
  ),
);

describe('a limit of a REST route', () => {
  it.each(limitedRoutes)('applies to its twin in the graph: $name', ({ subgraph, name, limit }) => {
    const twin = TWINS[name];
    expect(twin ?? WITHOUT_TWIN[name]).toBeDefined();
    expect(twin && subgraph.graphqlRateLimits?.[twin]).toEqual(twin && limit);
  });

  it('exists for every field of the graph that has a limit', () => {
    const fields = subgraphs.flatMap(({ graphqlRateLimits = {} }: AnySubgraph) =>
      Object.keys(graphqlRateLimits),
    );
    expect(fields.toSorted()).toEqual(Object.values(TWINS).toSorted());
  });
});
