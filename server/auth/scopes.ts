/**
 * The scopes that a gym can grant to a machine client: what the client may do in that gym. In everything else it has the rights of
 * an anonymous caller: a rule that names no scope refuses it, unless the rule is for everybody.
 */
export const SCOPES = {
  'check-in': 'Check members in and out, and read locations and how many people are inside.',
  'visits:read': 'Read who is inside, visits and refused check-ins.',
  'occupancy:read': 'Read locations and how many people are inside.',
  'members:read': 'Read the accounts of members, without their QR codes.',
  'members:write': 'Import members, read the results of imports, and change memberships.',
  'classes:read': 'Read classes, their sessions and bookings.',
  'orders:read': 'Read the orders of members.',
  'content:read': 'Read workouts, exercises and products.',
  webhooks: 'Manage webhooks that send events of those resources that the other scopes let the client read.',
  'events:read': 'Read the events of those resources that the other scopes let the client read.',
} as const;
export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

export const isScope = (name: string): name is Scope => Object.hasOwn(SCOPES, name);

/** The scopes in the `scope` of a token or request: names separated by spaces (RFC 6749, section 3.3). Others are left out. */
export const scopesIn = (text: string): readonly Scope[] => text.split(' ').filter(isScope);
