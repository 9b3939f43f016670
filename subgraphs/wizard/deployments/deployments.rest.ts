import { z } from 'zod';
import { versionNumber } from '#server/shapes.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { WizardSessionShape } from '../sessions/sessions.shapes.ts';
import type { Deployments } from './deployments.ts';
import { ResolveDeploymentShape } from './deployments.shapes.ts';

const route = restRoute<{ deployments: Deployments }>();

export const deploymentsRest = [
  route({
    method: 'POST',
    path: '/:sessionId/deploy',
    summary: 'Deploy a completed session (GYM_SETUP: SUPER_ADMIN; MEMBER_ONBOARDING: its owner)',
    description:
      '202 while it is under way: follow `deployment` of the session, or the subscription `wizardDeploymentUpdated`. 200 where it is deployed already. A deployment that is refused by a service is undone as a whole; the session is FAILED then with the reason in its action, and may be corrected and deployed again. If something cannot be taken back, `deployment.status` is UNDO_FAILED and a SUPER_ADMIN resolves it first.',
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
  route({
    method: 'POST',
    path: '/:sessionId/deployment/resolve',
    summary: 'Decide about a deployment that could not be undone (SUPER_ADMIN)',
    description:
      'For `deployment.status` UNDO_FAILED. RETRY takes back what is left once more. ACCEPT leaves it: the deployment is UNDONE, the names are free, and the session may be corrected, deployed again or cancelled. Note and author are kept in `deployment.resolution`.',
    auth: 'required',
    params: z.object({ sessionId: z.uuid() }),
    body: ResolveDeploymentShape,
    success: {
      status: 200,
      description: 'The session: DEPLOYING after RETRY, FAILED after ACCEPT.',
      shape: WizardSessionShape,
    },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params: { sessionId }, body }, { deployments }) => deployments.resolve(sessionId, body),
  }),
];
