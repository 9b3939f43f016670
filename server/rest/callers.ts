/** The kinds of callers with an access token, without machine clients, for which a route has `scopes`. */
export type CallerKind = 'MEMBER' | 'GYM_ADMIN' | 'SUPER_ADMIN' | 'SERVICE';

/**
 * The callers for whom a route is, if its `auth` admits more callers. This is documentation (in OpenAPI and in docs/rights.md), which tests/server/rights.test.ts compares with the answers; the rules decide the rights.
 */
export interface Callers {
  /** The text in the documentation, e.g. `GYM_ADMIN of the gym, SUPER_ADMIN`. */
  readonly note: string;
  readonly kinds: readonly CallerKind[];
}

export const callers = (note: string, ...kinds: readonly CallerKind[]): Callers => ({ note, kinds });

export const SUPER_ADMINS = callers('SUPER_ADMIN', 'SUPER_ADMIN');
export const GYM_STAFF = callers('GYM_ADMIN of the gym, SUPER_ADMIN', 'GYM_ADMIN', 'SUPER_ADMIN');
export const SERVICES = callers('services', 'SERVICE');
export const IDENTITY_ONLY = callers('the identity service', 'SERVICE');
export const OWNING_SERVICE = callers('the service that owns the entity', 'SERVICE');
