import { z } from 'zod';
import { versionNumber } from '#server/shapes.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { WizardSessionShape } from '../sessions/sessions.shapes.ts';
import type { Deployments } from './deployments.ts';

const route = restRoute<{ deployments: Deployments }>();

export const deploymentsRest = [
  route({
    method: 'POST',
    path: '/:sessionId/deploy',
    summary: 'Deploy a completed session (GYM_SETUP: SUPER_ADMIN; MEMBER_ONBOARDING: its owner)',
    description:
      '202 while it is under way: follow `deployment` of the session, or the subscription `wizardDeploymentUpdated`. 200 where it is deployed already. A deployment that is refused by a service is undone as a whole; the session is FAILED then with the reason in its action, and may be corrected and deployed again.',
    auth: 'required',
    params: z.object({ sessionId: z.uuid() }),
    body: z.object({ version: versionNumber.nullish() }).nullish(),
    versioned: true,
    success: { status: 202, description: 'The session, DEPLOYING.', shape: WizardSessionShape },
    errors: ['FORBIDDEN', 'WIZARD_INCOMPLETE', 'CONFLICT', 'WIZARD_VERSION_UNSUPPORTED'],
    handler: async ({ params: { sessionId }, expectedVersion }, { deployments }) => {
      const session = await deployments.deploy(sessionId, expectedVersion);
      return session.status === 'DEPLOYED' ? new Reply(200, session) : session;
    },
  }),
];
