import { z } from 'zod';
import { uuid, versionNumber } from '#server/shapes.ts';
import { SUPER_ADMINS, callers } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { WizardSessionShape } from '../sessions/sessions.shapes.ts';
import type { Deployments } from './deployments.ts';
import { ResolveDeploymentShape } from './deployments.shapes.ts';

const route = restRoute<{ deployments: Deployments }>(TAGS.deployments, 'wizard');

export const deploymentsRest = [
  route({
    method: 'POST',
    path: '/:sessionId/deploy',
    operationId: 'deployWizardSession',
    summary: 'Deploy a completed session',
    only: callers(
      'GYM_SETUP: SUPER_ADMIN; MEMBER_ONBOARDING: its owner, SUPER_ADMIN',
      'MEMBER',
      'GYM_ADMIN',
      'SUPER_ADMIN',
    ),
    description:
      'The answer is 202 while the deployment is running: read `deployment` of the session, or subscribe to `wizardDeploymentUpdated`. The answer is 200 if the session is deployed already. If a service refuses an action, the whole deployment is undone; the session is then FAILED, with the reason in that action, and can be corrected and deployed again. If an action cannot be undone, `deployment.status` is UNDO_FAILED and a SUPER_ADMIN must resolve it first.',
    auth: 'required',
    params: z.object({ sessionId: uuid().meta({ description: "The wizard session's id." }) }),
    body: z
      .object({ version: versionNumber.nullish() })
      .meta({ graphType: 'DeployWizardSessionInput' })
      .nullish(),
    versioned: true,
    success: {
      status: 202,
      description: 'The session with the status DEPLOYING.',
      shape: WizardSessionShape,
      otherwise: { status: 200, description: 'The session, which is deployed already.' },
    },
    errors: ['FORBIDDEN', 'WIZARD_INCOMPLETE', 'CONFLICT', 'WIZARD_VERSION_UNSUPPORTED'],
    handler: async ({ params: { sessionId }, expectedVersion }, { deployments }) => {
      const session = await deployments.deploy(sessionId, expectedVersion);
      return session.status === 'DEPLOYED' ? new Reply(200, session) : session;
    },
  }),
  route({
    method: 'POST',
    path: '/:sessionId/deployment/resolve',
    operationId: 'resolveDeployment',
    summary: 'Decide about a deployment that could not be undone',
    only: SUPER_ADMINS,
    description:
      'For `deployment.status` UNDO_FAILED. RETRY tries again to undo what is left. ACCEPT leaves it: the deployment becomes UNDONE, the names are released, and the session can be corrected, deployed again or cancelled. The note and the author of the decision are stored in `deployment.resolution`.',
    auth: 'required',
    params: z.object({ sessionId: uuid().meta({ description: "The wizard session's id." }) }),
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
