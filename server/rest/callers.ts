/** The kinds of callers with an access token. */
export type CallerKind = 'MEMBER' | 'GYM_ADMIN' | 'SUPER_ADMIN' | 'SERVICE';

/**
 * Which callers a route is for, if not for all that its `auth` admits. It is documentation (the summary in OpenAPI,
 * docs/rights.md), and tests/rights.test.ts compares it with the answers: the rules decide, behind each door.
 */
export interface Callers {
  /** For people, e.g. `GYM_ADMIN of the gym, SUPER_ADMIN`. */
  readonly note: string;
  readonly kinds: readonly CallerKind[];
}

export const callers = (note: string, ...kinds: readonly CallerKind[]): Callers => ({ note, kinds });

export const SUPER_ADMINS = callers('SUPER_ADMIN', 'SUPER_ADMIN');
export const GYM_STAFF = callers('GYM_ADMIN of the gym, SUPER_ADMIN', 'GYM_ADMIN', 'SUPER_ADMIN');
export const SERVICES = callers('services', 'SERVICE');
export const IDENTITY_ONLY = callers('the identity service', 'SERVICE');
export const OWNING_SERVICE = callers('the service that owns the entity', 'SERVICE');
