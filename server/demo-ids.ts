/**
 * The ids that the demo data of all services share: each service adds its own data about the same two gyms and six users.
 * They are valid UUIDs of version 7 with a fixed time, so that demo links are the same on every machine.
 */
export const DEMO_GYMS = {
  ironTemple: { id: '01900000-0000-7000-8000-000000000001', slug: 'iron-temple', name: 'Iron Temple' },
  aquaClub: { id: '01900000-0000-7000-8000-000000000002', slug: 'aqua-club', name: 'Aqua Club' },
} as const;

export const DEMO_PASSWORD = 'demo-password-1';

export const DEMO_PEOPLE = [
  {
    id: '01900000-0000-7000-8000-000000000101',
    email: 'super@demo.test',
    displayName: 'Sam Super',
    role: 'SUPER_ADMIN',
    gymId: null,
    timezone: 'UTC',
  },
  {
    id: '01900000-0000-7000-8000-000000000102',
    email: 'admin@iron.test',
    displayName: 'Ada Iron',
    role: 'GYM_ADMIN',
    gymId: DEMO_GYMS.ironTemple.id,
    timezone: 'Europe/Berlin',
  },
  {
    id: '01900000-0000-7000-8000-000000000103',
    email: 'maya@iron.test',
    displayName: 'Maya',
    role: 'MEMBER',
    gymId: DEMO_GYMS.ironTemple.id,
    timezone: 'Europe/Berlin',
  },
  {
    id: '01900000-0000-7000-8000-000000000104',
    email: 'leo@iron.test',
    displayName: 'Leo',
    role: 'MEMBER',
    gymId: DEMO_GYMS.ironTemple.id,
    timezone: 'Europe/Berlin',
  },
  {
    id: '01900000-0000-7000-8000-000000000105',
    email: 'admin@aqua.test',
    displayName: 'Aki Aqua',
    role: 'GYM_ADMIN',
    gymId: DEMO_GYMS.aquaClub.id,
    timezone: 'America/New_York',
  },
  {
    id: '01900000-0000-7000-8000-000000000106',
    email: 'zoe@aqua.test',
    displayName: 'Zoe',
    role: 'MEMBER',
    gymId: DEMO_GYMS.aquaClub.id,
    timezone: 'America/New_York',
  },
] as const;

/** The demo user with that email. */
export const demoPerson = (email: (typeof DEMO_PEOPLE)[number]['email']) =>
  DEMO_PEOPLE.find((person) => person.email === email) ?? DEMO_PEOPLE[0];

/** The id of the `index`-th demo row of one kind, e.g. `demoId('0301', 2)`. No two services use the same kind. */
export const demoId = (kind: string, index: number): string =>
  `01900000-0000-7000-8${kind.slice(0, 3).padStart(3, '0')}-${kind.padStart(4, '0')}${String(index).padStart(8, '0')}`;
