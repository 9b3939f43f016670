import { EventFeed } from '#server/events/feed.ts';
import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import { RemovedReferences } from '#server/references/removed-references.ts';
import { Jobs } from '#server/jobs/jobs.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Accounts } from './accounts/accounts.ts';
import { AccountExports } from './accounts/exports.ts';
import { ApiClients } from './api-clients/api-clients.ts';
import { ClientTokens } from './api-clients/client-tokens.ts';
import { Audit } from './audit/audit.ts';
import { Avatars } from './avatars/avatars.ts';
import { identityJobs } from './jobs.ts';
import { Invitations } from './invitations/invitations.ts';
import { Keys } from './keys/keys.ts';
import { Admissions } from './email-verifications/admissions.ts';
import { EmailVerifications } from './email-verifications/email-verifications.ts';
import { MemberStates } from './memberships/member-states.ts';
import { Memberships } from './memberships/memberships.ts';
import { PasswordChanges } from './password-changes/password-changes.ts';
import { PasswordResets } from './password-resets/password-resets.ts';
import { People } from './people/people.ts';
import { Profiles } from './profiles/profiles.ts';
import { QrCodes } from './qr-codes/qr-codes.ts';
import { ShortLivedCodes } from './qr-codes/short-lived-codes.ts';
import type { IdentityResources } from './resources.ts';
import { Rights } from './rights/rights.ts';
import { PasswordChecks } from './sessions/password-checks.ts';
import { Sessions } from './sessions/sessions.ts';
import { Suspensions } from './suspensions/suspensions.ts';
import { MemberMails } from './member-mails/member-mails.ts';
import { StaffMails } from './staff-mails/staff-mails.ts';
import { GymsOfUsers } from './users/gyms-of-users.ts';
import { UserImports } from './user-imports/user-imports.ts';
import { Users } from './users/users.ts';

/** The rules of this service for one unit of work. */
export const identityServices = (
  unit: UnitOfWork,
  {
    keyRing,
    passwords,
    tokens,
    files,
    events,
    serviceClients,
    sagas,
    sagaStore,
    references,
    locations,
    mails,
  }: IdentityResources,
) => {
  const audit = new Audit(unit);
  const gyms = new GymsOfUsers(unit, references);
  const admissions = new Admissions(unit, audit, gyms);
  const emailVerifications = new EmailVerifications(unit, audit, admissions);
  const users = new Users(unit, passwords, gyms, emailVerifications);
  const passwordChecks = new PasswordChecks(unit, passwords, audit);
  const sessions = new Sessions(unit, passwordChecks, tokens, audit);
  const passwordResets = new PasswordResets(unit, passwords, audit, { emailVerifications, admissions });
  const profiles = new Profiles(unit);
  const rights = new Rights(unit, audit, gyms);
  const apiClients = new ApiClients(unit, audit, gyms, locations);
  return {
    audit,
    events: new EventFeed(unit, events),
    users,
    sessions,
    passwordResets,
    passwordChanges: new PasswordChanges(unit, passwords, passwordChecks, audit),
    profiles,
    people: new People(unit),
    qrCodes: new QrCodes(unit, new ShortLivedCodes(keyRing)),
    avatars: new Avatars(unit, profiles, files),
    rights,
    memberStates: new MemberStates(unit),
    memberships: new Memberships(unit, audit, gyms),
    emailVerifications,
    suspensions: new Suspensions(unit, audit),
    invitations: new Invitations(unit, audit, gyms, sagas),
    removedReferences: new RemovedReferences(unit, {
      Gym: {
        owner: 'gym',
        forget: async (id) => {
          await rights.leaveRemovedGym(id);
          await apiClients.deleteOfRemovedGym(id);
          await unit.em.execute('delete from gym_invitation where gym_id = ?', [id]);
          await unit.em.execute('delete from user_import where gym_id = ?', [id]);
        },
      },
    }),
    userImports: new UserImports(unit, audit, gyms),
    accounts: new Accounts(unit, audit, { passwordChecks, sagas, files }),
    accountExports: new AccountExports(unit, { sagas, sagaStore, files }),
    staffMails: new StaffMails(unit),
    memberMails: new MemberMails(unit, mails),
    jobs: new Jobs(unit, identityJobs),
    keys: new Keys(unit, keyRing, audit),
    apiClients,
    clientTokens: new ClientTokens(unit, tokens, serviceClients),
  };
};

type IdentityServices = ReturnType<typeof identityServices>;
export type Context = GraphContext<IdentityServices>;
