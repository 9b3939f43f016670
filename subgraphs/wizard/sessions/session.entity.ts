import { defineEntity, p } from '@mikro-orm/core';
import type { StepData } from '../definitions/definition.ts';
import type { WizardKind } from '../definitions/wizard-kind.ts';
import type { SessionFile } from './session-files.ts';

export const WizardStatus = {
  DRAFT: 'DRAFT',
  READY: 'READY',
  DEPLOYING: 'DEPLOYING',
  DEPLOYED: 'DEPLOYED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
} as const;
export type WizardStatus = (typeof WizardStatus)[keyof typeof WizardStatus];

const WizardSessionSchema = defineEntity({
  name: 'WizardSession',
  tableName: 'wizard_session',
  // Lists are newest first; ids sort by creation time.
  indexes: [
    { properties: ['createdBy', 'id'] },
    { properties: ['expiresAt'] },
    // for the removal of old onboardings
    {
      name: 'wizard_session_deployed_onboardings',
      expression: `create index "wizard_session_deployed_onboardings" on "wizard_session" ("updated_at") where "kind" = 'MEMBER_ONBOARDING' and "status" = 'DEPLOYED'`,
    },
    // for sessions that name a user as the first admin of a gym
    {
      name: 'wizard_session_deployed_gyms',
      expression: `create index "wizard_session_deployed_gyms" on "wizard_session" ("id") where "kind" = 'GYM_SETUP' and "status" = 'DEPLOYED'`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    kind: p.string().length(32).$type<WizardKind>(),
    status: p.string().length(16).$type<WizardStatus>(),
    definitionVersion: p.integer(),
    currentStep: p.string().length(64),
    data: p.json<StepData>(),
    files: p.json<SessionFile[]>().default([]),
    version: p.integer(),
    createdBy: p.uuid().nullable(),
    gymId: p.uuid().nullable(),
    resumeTokenHash: p.string().length(64).nullable(),
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export class WizardSession extends WizardSessionSchema.class {}
WizardSessionSchema.setClass(WizardSession);
