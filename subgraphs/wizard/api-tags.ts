import type { ApiTag } from '#server/rest/route.ts';

/** The tags of the service's REST operations, which group them in the API reference. */
export const TAGS = {
  availability: { name: 'Availability', description: 'Whether a name, an address or a slot is free.' },
  firstVisits: { name: 'First visits', description: 'The first visits that new members have chosen.' },
  wizardSessions: {
    name: 'Wizard sessions',
    description: 'The set-up of a gym or the onboarding of a member, step by step, with files.',
  },
  deployments: {
    name: 'Deployments',
    description: 'What a completed session creates in the other services.',
  },
} as const satisfies Readonly<Record<string, ApiTag>>;
