import { defineSubgraph } from '#server/define-subgraph.ts';
import { eventsRest } from '#server/events/events.rest.ts';
import { jobsRest } from '#server/jobs/jobs.rest.ts';
import { removedReferencesRest } from '#server/references/removed-references.rest.ts';
import { readExamples } from '#server/rest/examples.ts';
import { accountsGraphql } from './accounts/accounts.graphql.ts';
import { accountsRest } from './accounts/accounts.rest.ts';
import { apiClientsGraphql } from './api-clients/api-clients.graphql.ts';
import { apiClientsRest } from './api-clients/api-clients.rest.ts';
import { auditGraphql } from './audit/audit.graphql.ts';
import { auditRest } from './audit/audit.rest.ts';
import { avatarsGraphql } from './avatars/avatars.graphql.ts';
import { avatarsRest } from './avatars/avatars.rest.ts';
import { database } from './database.ts';
import { jobsGraphql } from './jobs.graphql.ts';
import { identityJobs } from './jobs.ts';
import { demo } from './demo.ts';
import { invitationsGraphql } from './invitations/invitations.graphql.ts';
import { invitationsRest } from './invitations/invitations.rest.ts';
import { keysGraphql } from './keys/keys.graphql.ts';
import { keysRest } from './keys/keys.rest.ts';
import { emailVerificationsGraphql } from './email-verifications/email-verifications.graphql.ts';
import { emailVerificationsRest } from './email-verifications/email-verifications.rest.ts';
import { membershipsGraphql } from './memberships/memberships.graphql.ts';
import { membershipsRest } from './memberships/memberships.rest.ts';
import { passwordChangesGraphql } from './password-changes/password-changes.graphql.ts';
import { passwordChangesRest } from './password-changes/password-changes.rest.ts';
import { passwordResetsGraphql } from './password-resets/password-resets.graphql.ts';
import { passwordResetsRest } from './password-resets/password-resets.rest.ts';
import { peopleRest } from './people/people.rest.ts';
import { profilesGraphql } from './profiles/profiles.graphql.ts';
import { profilesRest } from './profiles/profiles.rest.ts';
import { qrCodesGraphql } from './qr-codes/qr-codes.graphql.ts';
import { qrCodesRest } from './qr-codes/qr-codes.rest.ts';
import { graphqlRateLimits } from './rates.ts';
import { identityResources } from './resources.ts';
import { identityRetention } from './retention.ts';
import { rightsGraphql } from './rights/rights.graphql.ts';
import { rightsRest } from './rights/rights.rest.ts';
import { serviceClientsRest } from './service-clients/service-clients.rest.ts';
import { identityServices } from './services.ts';
import { isRefused } from './sessions/ended-sessions.ts';
import { sessionsGraphql } from './sessions/sessions.graphql.ts';
import { sessionsRest } from './sessions/sessions.rest.ts';
import { identitySettings } from './settings.ts';
import { memberEvents } from './users/member-events.ts';
import { suspensionsGraphql } from './suspensions/suspensions.graphql.ts';
import { suspensionsRest } from './suspensions/suspensions.rest.ts';
import { memberMailsRest } from './member-mails/member-mails.rest.ts';
import { staffMailsRest } from './staff-mails/staff-mails.rest.ts';
import { userImportsGraphql } from './user-imports/user-imports.graphql.ts';
import { userImportsRest } from './user-imports/user-imports.rest.ts';
import { usersGraphql } from './users/users.graphql.ts';
import { usersRest } from './users/users.rest.ts';

export const identity = defineSubgraph({
  name: 'identity',
  title: 'Identity service',
  description: 'Accounts, log-in, profiles and roles.',
  settings: identitySettings,
  database,
  storesFiles: true,
  events: memberEvents,
  resources: identityResources,
  services: identityServices,
  // Identity checks tokens in its own database, so it does not call itself over HTTP, and refuses ended sessions without delay.
  tokenChecks: ({ keyRing, orm }) => ({
    keys: keyRing,
    isRevoked: (viewer) => viewer.kind !== 'service' && isRefused(orm.em, viewer.sessionId, viewer.expiresAt),
  }),
  graphql: [
    usersGraphql,
    userImportsGraphql,
    sessionsGraphql,
    passwordResetsGraphql,
    passwordChangesGraphql,
    profilesGraphql,
    qrCodesGraphql,
    avatarsGraphql,
    rightsGraphql,
    membershipsGraphql,
    emailVerificationsGraphql,
    suspensionsGraphql,
    invitationsGraphql,
    accountsGraphql,
    auditGraphql,
    apiClientsGraphql,
    keysGraphql,
    jobsGraphql,
  ],
  graphqlRateLimits,
  examples: readExamples(new URL('examples.json', import.meta.url)),
  rest: [
    ...userImportsRest,
    ...usersRest,
    ...sessionsRest,
    ...passwordResetsRest,
    ...passwordChangesRest,
    ...profilesRest,
    ...qrCodesRest,
    ...peopleRest,
    ...avatarsRest,
    ...rightsRest,
    ...membershipsRest,
    ...emailVerificationsRest,
    ...suspensionsRest,
    ...invitationsRest,
    ...accountsRest,
    ...auditRest,
    ...serviceClientsRest,
    ...apiClientsRest,
    ...removedReferencesRest,
    ...eventsRest,
    ...staffMailsRest,
    ...memberMailsRest,
    ...keysRest,
    ...jobsRest,
  ],
  jobs: identityJobs,
  retention: (resources) => identityRetention(resources),
  demo: (_services, unit, { passwords }, { demoHistory }) => demo(unit, passwords, demoHistory),
});
