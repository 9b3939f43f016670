/** The kinds of callers with an access token. Machine clients are not among them: a route names their `scopes` instead. */
export type CallerKind = 'MEMBER' | 'GYM_ADMIN' | 'SUPER_ADMIN' | 'SERVICE';

/**
 * The callers that may use a route, if its `auth` admits further callers, whom the rules refuse. This is only documentation (in
 * OpenAPI and in docs/rights.md): the rules decide, and tests/server/rights.test.ts compares this text with their answers.
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
