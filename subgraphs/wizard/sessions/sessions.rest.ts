import { z } from 'zod';
import { uuid, versionNumber } from '#server/shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { callers } from '#server/rest/callers.ts';
import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { SESSION_RATE } from '../rates.ts';
import type { Sessions } from './sessions.ts';
import {
  ClaimWizardSessionShape,
  CreateWizardSessionShape,
  kind,
  status,
  UpdateWizardSessionShape,
  WizardSessionShape,
} from './sessions.shapes.ts';

const route = restRoute<{ sessions: Sessions }>(TAGS.wizardSessions, 'wizard');
const params = z.object({ sessionId: uuid().meta({ description: "The wizard session's id." }) });
const RESUME = 'A session that was created without an account is opened with its token in `X-Resume-Token`.';

export const sessionsRest = [
  route({
    method: 'POST',
    path: '/',
    operationId: 'createWizardSession',
    summary: 'Begin a wizard session',
    description:
      'MEMBER_ONBOARDING needs no account: without one the answer contains the `resumeToken`. GYM_SETUP is for GYM_ADMIN and SUPER_ADMIN.',
    auth: 'optional',
    rateLimit: SESSION_RATE,
    body: CreateWizardSessionShape,
    success: { status: 201, description: 'The new session.', shape: WizardSessionShape, noStore: true },
    errors: ['FORBIDDEN'],
    handler: ({ body }, { sessions }) => sessions.create(body),
  }),
  route({
    method: 'GET',
    path: '/',
    operationId: 'listWizardSessions',
    summary: 'Wizard sessions, newest first',
    only: callers('users: their own sessions; SUPER_ADMIN: all', 'MEMBER', 'GYM_ADMIN', 'SUPER_ADMIN'),
    auth: 'required',
    query: pageQuery.extend({
      status: status.optional().meta({ description: 'Only sessions with this status.' }),
      kind: kind.optional().meta({ description: 'Only sessions of this kind.' }),
    }),
    success: { status: 200, description: 'A page of sessions.', shape: WizardSessionShape, page: true },
    handler: ({ query }, { sessions }) => sessions.list(query, query),
  }),
  route({
    method: 'GET',
    path: '/:sessionId',
    operationId: 'getWizardSession',
    summary: 'A wizard session and the state of its steps',
    description: RESUME,
    auth: 'optional',
    params,
    success: { status: 200, description: 'The session.', shape: WizardSessionShape },
    errors: ['WIZARD_VERSION_UNSUPPORTED'],
    handler: ({ params: { sessionId }, header }, { sessions }) =>
      sessions.get(sessionId, header('x-resume-token')),
  }),
  route({
    method: 'PUT',
    path: '/:sessionId',
    operationId: 'updateWizardSession',
    summary: 'Save a part of a step, and move to another step',
    description: `Incomplete or invalid data is saved, too, and reported in the step's \`errors\` and \`currentlyDue\`; the session does not move past that step. ${RESUME}`,
    auth: 'optional',
    params,
    body: UpdateWizardSessionShape,
    versioned: true,
    success: { status: 200, description: 'The changed session.', shape: WizardSessionShape },
    errors: ['CONFLICT', 'WIZARD_VERSION_UNSUPPORTED'],
    handler: ({ params: { sessionId }, body, header, expectedVersion }, { sessions }) =>
      sessions.update(sessionId, body, header('x-resume-token'), expectedVersion),
  }),
  route({
    method: 'POST',
    path: '/:sessionId/claim',
    operationId: 'claimWizardSession',
    summary: 'Claim a session that was created without an account',
    description:
      'A session can be claimed once. From then on it is opened with your access token, and its resume token is no longer valid.',
    auth: 'required',
    params,
    body: ClaimWizardSessionShape,
    success: {
      status: 200,
      description: 'The session, which now belongs to the caller.',
      shape: WizardSessionShape,
    },
    errors: ['CONFLICT', 'WIZARD_VERSION_UNSUPPORTED'],
    handler: ({ params: { sessionId }, body }, { sessions }) => sessions.claim(sessionId, body),
  }),
  route({
    method: 'POST',
    path: '/:sessionId/cancel',
    operationId: 'cancelWizardSession',
    summary: 'Cancel a session that is not deployed',
    description: `Its reservations are released and its files are removed. A repeated call changes nothing. ${RESUME}`,
    auth: 'optional',
    params,
    body: z
      .object({ version: versionNumber.nullish() })
      .meta({ graphType: 'CancelWizardSessionInput' })
      .nullish(),
    versioned: true,
    success: { status: 200, description: 'The cancelled session.', shape: WizardSessionShape },
    errors: ['CONFLICT'],
    handler: ({ params: { sessionId }, header, expectedVersion }, { sessions }) =>
      sessions.cancel(sessionId, header('x-resume-token'), expectedVersion),
  }),
];
