import { z } from 'zod';
import { accountDataRest } from '#server/accounts/account-data.rest.ts';
import { defineSubgraph } from '#server/define-subgraph.ts';
import { database } from './database.ts';
import { wizardServices, type WizardResources } from './services.ts';
import { sessionsGraphql } from './sessions/sessions.graphql.ts';
import { sessionsRest } from './sessions/sessions.rest.ts';
import { memorySessionStore } from './sessions/session-store.memory.ts';

const settings = z.object({
  /** Where sessions are kept: in `platform_wizard`, or in this process. */
  wizardStorage: z.enum(['database', 'memory'], 'expected database or memory').default('database'),
});

export const wizard = defineSubgraph({
  name: 'wizard',
  title: 'Wizard service',
  description: 'Onboarding of gyms and members, step by step.',
  settings,
  database,
  withoutDatabase: ({ wizardStorage }) => wizardStorage === 'memory',
  resources: async (base): Promise<WizardResources> => ({
    memoryStore: base.settings.wizardStorage === 'memory' ? memorySessionStore() : undefined,
  }),
  services: wizardServices,
  features: { sessions: 'wizard' },
  graphql: [sessionsGraphql],
  // before the sessions: `/accounts/...` is no `/:sessionId`
  rest: [...accountDataRest, ...sessionsRest],
});
