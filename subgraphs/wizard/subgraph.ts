import { accountDataRest } from '#server/accounts/account-data.rest.ts';
import { defineSubgraph } from '#server/define-subgraph.ts';
import { jobsRest } from '#server/jobs/jobs.rest.ts';
import { readExamples } from '#server/rest/examples.ts';
import { availabilityGraphql } from './availability/availability.graphql.ts';
import { availabilityRest } from './availability/availability.rest.ts';
import { graphqlRateLimits } from './rates.ts';
import { database } from './database.ts';
import { jobsGraphql } from './jobs.graphql.ts';
import { DEFINITIONS } from './definitions/definitions.ts';
import { demo } from './demo.ts';
import { deploymentsGraphql } from './deployments/deployments.graphql.ts';
import { deploymentsRest } from './deployments/deployments.rest.ts';
import { filesGraphql } from './files/files.graphql.ts';
import { filesRest } from './files/files.rest.ts';
import { firstVisitsGraphql } from './first-visits/first-visits.graphql.ts';
import { firstVisitsRest } from './first-visits/first-visits.rest.ts';
import { wizardResources, wizardSettings, type WizardParts } from './resources.ts';
import { wizardRetention } from './retention.ts';
import { wizardServices } from './services.ts';
import { sessionsGraphql } from './sessions/sessions.graphql.ts';
import { sessionsRest } from './sessions/sessions.rest.ts';

/** The wizard service with these definitions. */
export const wizardOf = (parts: WizardParts) =>
  defineSubgraph({
    name: 'wizard',
    title: 'Wizard service',
    description: 'Onboarding of gyms and members, step by step.',
    settings: wizardSettings,
    database,
    storesFiles: true,
    withoutDatabase: ({ wizardStorage }) => wizardStorage === 'memory',
    resources: (base) => wizardResources(base, parts),
    services: wizardServices,
    features: {
      sessions: 'wizard',
      files: 'wizard',
      deployments: 'wizard',
      availability: null,
      firstVisits: null,
      jobs: null,
      accountData: null,
    },
    graphql: [
      sessionsGraphql,
      availabilityGraphql,
      firstVisitsGraphql,
      filesGraphql,
      deploymentsGraphql,
      jobsGraphql,
    ],
    graphqlRateLimits,
    examples: readExamples(new URL('examples.json', import.meta.url)),
    // Fixed paths come before the paths of sessions, which begin with the id of a session.
    rest: [
      ...accountDataRest,
      ...jobsRest,
      ...availabilityRest,
      ...firstVisitsRest,
      ...sessionsRest,
      ...filesRest,
      ...deploymentsRest,
    ],
    retention: wizardRetention,
    demo: (_services, unit, { storage }) => demo(unit, storage),
  });

export const wizard = wizardOf({ definitions: DEFINITIONS });
