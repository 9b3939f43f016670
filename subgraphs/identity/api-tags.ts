import type { ApiTag } from '#server/rest/route.ts';

/** The tags of the service's REST operations, which group them in the API reference. */
export const TAGS = {
  users: { name: 'Users', description: 'Registration, and the accounts of users.' },
  logIn: { name: 'Log-in', description: 'Access tokens, refresh tokens and the sessions of a user.' },
  passwords: { name: 'Passwords', description: 'A new password, with the current one or by a mailed token.' },
  profile: {
    name: 'Profile',
    description: 'What users say about themselves, their picture and their check-in code.',
  },
  roles: { name: 'Roles', description: 'The role and the gym of a user.' },
  memberships: {
    name: 'Memberships',
    description: 'How users join a gym, and what their membership allows.',
  },
  invitations: {
    name: 'Invitations',
    description: 'Accounts that staff create for users, who then set a password with a mailed token.',
  },
  personalData: {
    name: 'Personal data',
    description: 'Export of everything that is stored about a user, and the deletion of their account.',
  },
  audit: { name: 'Audit', description: 'The append-only record of actions on accounts.' },
  machineClients: {
    name: 'Machine clients',
    description: 'Programs of a gym with a secret and scopes of their own, such as a turnstile.',
  },
  signingKeys: { name: 'Signing keys', description: 'The keys that sign and verify access tokens.' },
} as const satisfies Readonly<Record<string, ApiTag>>;
