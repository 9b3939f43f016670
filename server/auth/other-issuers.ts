import {
  createRemoteJWKSet,
  decodeJwt,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { z } from 'zod';
import { uuid } from '../shapes.ts';
import { readCheckedFile } from '../checked-file.ts';
import { PlatformError, unauthenticated } from '../errors.ts';
import { scopesIn } from './scopes.ts';
import { CLIENT_SUBJECT, Role, type KnownViewer } from './viewer.ts';

const claim = z
  .string('expected the name of a claim')
  .regex(/^[\w:/.-]{1,200}$/, 'expected the name of a claim; a dot leads into an object');
const roleNames = Object.values(Role);

const issuer = z
  .strictObject({
    /** The `iss` of its tokens. */
    issuer: z.string('expected the iss of its tokens').min(1),
    /** The `aud` that its tokens must have. */
    audience: z.string('expected the aud of its tokens').min(1),
    /** Where its public keys are. */
    jwksUrl: z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' }),
    /** The accepted signature algorithms. Symmetric ones are refused: the key that verifies tokens could also sign them. */
    algorithms: z
      .array(
        z.enum(
          ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA'],
          'expected an asymmetric algorithm: ES256, RS256, PS256, EdDSA or a longer one of them',
        ),
      )
      .min(1, 'expected at least one algorithm')
      .default(['RS256', 'ES256']),
    /** The names of the claims that the platform reads. */
    claims: z
      .strictObject({
        /** The claim with the id: of the user, which is a UUID of the platform, or of the machine client, which is any UUID. */
        userId: claim.default('sub'),
        role: claim.optional(),
        gymId: claim.optional(),
        scope: claim.optional(),
      })
      .default({ userId: 'sub' }),
    /** The roles of the platform by the values of the claim `role`. A token with another value, or none, gets `defaultRole`. */
    roles: z.record(z.string(), z.enum(roleNames, `expected ${roleNames.join(', ')}`)).default({}),
    /** The role of a token without a known role. Default: such a token is refused. */
    defaultRole: z.enum(roleNames, `expected ${roleNames.join(', ')}`).optional(),
    /** Whether its tokens are those of machine clients, with scopes instead of a role. */
    machineClients: z.boolean('expected true or false').default(false),
  })
  .refine(
    ({ machineClients, roles, defaultRole }) =>
      machineClients || defaultRole !== undefined || Object.keys(roles).length > 0,
    'expected roles or defaultRole; without them every token would be refused',
  )
  .refine(
    ({ machineClients, claims }) =>
      !machineClients || (claims.gymId !== undefined && claims.scope !== undefined),
    'expected claims.gymId and claims.scope for machine clients',
  );
type Issuer = z.output<typeof issuer>;

/** @param ownIssuer the `iss` of identity's tokens, which the file may not contain */
const issuersFile = (ownIssuer: string) => {
  const other = issuer.refine((one) => one.issuer !== ownIssuer, {
    path: ['issuer'],
    error: 'expected another issuer than the platform itself (JWT_ISSUER)',
  });
  return z.strictObject({
    issuers: z
      .array(other, 'expected a list of issuers')
      .max(20, 'expected at most 20 issuers')
      .refine(
        (issuers) => new Set(issuers.map((one) => one.issuer)).size === issuers.length,
        'expected each issuer once',
      ),
  });
};

interface KnownIssuer extends Issuer {
  readonly keys: JWTVerifyGetKey;
}

/**
 * Issuers of access tokens beside identity, such as a company's own log-in. Their tokens are accepted with the rights that
 * the file maps them to, never as those of a service. Such a token cannot be revoked: it is valid until it expires.
 */
export class OtherIssuers {
  private readonly byName: ReadonlyMap<string, KnownIssuer>;

  private constructor(issuers: readonly Issuer[]) {
    this.byName = new Map(issuers.map((one) => [one.issuer, { ...one, keys: keysOf(one) }]));
  }

  /** @throws StartError that names the problem and its line */
  static async read(file: string | undefined, ownIssuer: string): Promise<OtherIssuers | undefined> {
    if (file === undefined) return undefined;
    const { issuers } = await readCheckedFile(issuersFile(ownIssuer), { setting: 'JWT_ISSUERS_FILE', file });
    return new OtherIssuers(issuers);
  }

  /**
   * The owner of a token; undefined if its `iss` is none of these issuers, or if it is not a JWT.
   * @throws UNAUTHENTICATED with the reason; UPSTREAM_UNAVAILABLE if the keys cannot be read
   */
  async viewerOf(token: string): Promise<KnownViewer | undefined> {
    const known = this.byName.get(issuerIn(token) ?? '');
    if (!known) return undefined;
    const { keys, issuer: name, audience, algorithms } = known;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: name,
        audience,
        algorithms,
        requiredClaims: ['exp'],
      });
      return viewerIn(payload, known);
    } catch (error) {
      throw refusalFor(error);
    }
  }
}

/** The keys are cached for 10 minutes. They are read for an unknown key id at most every 5 s, because ids may be invented. */
const keysOf = ({ jwksUrl }: Issuer): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(jwksUrl), {
    cooldownDuration: 5_000, // 5 s
    cacheMaxAge: 600_000, // 10 min
    timeoutDuration: 3_000, // 3 s
  });

/** The `iss` of a token. It is not verified, so it may only be used to find the issuer's keys. */
function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function refusalFor(error: unknown): unknown {
  if (error instanceof PlatformError) return error;
  if (error instanceof errors.JWTExpired)
    return unauthenticated('The access token has expired; get a new one from its issuer.');
  const isAboutToken =
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC'; // the key set was answered with another status than 200
  if (isAboutToken) return unauthenticated('The access token is not valid.');
  return new PlatformError(
    'UPSTREAM_UNAVAILABLE',
    'Your token cannot be checked now because its issuer does not answer; try again in a moment.',
    { retryAfterSeconds: 1, cause: error },
  );
}

/** @throws UNAUTHENTICATED that names the claim that is missing or wrong */
function viewerIn(payload: JWTPayload, { claims, machineClients, ...known }: KnownIssuer): KnownViewer {
  const expiresAt = (payload.exp ?? 0) * 1_000;
  const gymId = claims.gymId === undefined ? null : uuidIn(payload, claims.gymId);
  if (machineClients) {
    const subject = valueIn(payload, claims.userId);
    const clientId = uuidOf(typeof subject === 'string' ? withoutPrefix(subject) : subject);
    if (clientId === null) throw uuidMissing(claims.userId);
    if (gymId === null) throw uuidMissing(claims.gymId);
    const scopes = new Set(scopesIn(textIn(payload, claims.scope ?? '') ?? ''));
    return { kind: 'client', clientId, gymId, scopes, locationId: null, sessionId: '', expiresAt };
  }
  const userId = uuidIn(payload, claims.userId);
  if (userId === null) throw uuidMissing(claims.userId);
  const named = claims.role === undefined ? [] : textsIn(payload, claims.role);
  const role = named.map((name) => ownRole(known.roles, name)).find((one) => one !== undefined);
  const granted = role ?? known.defaultRole;
  if (!granted)
    throw unauthenticated('The access token has no role that this platform accepts from its issuer.');
  return { kind: 'user', userId, role: granted, gymId, sessionId: '', expiresAt };
}

const uuidMissing = (name: string | undefined) =>
  unauthenticated(`The access token needs a UUID in the claim ${name}.`);

/** In identity's own tokens the subject of a machine client has a prefix, which another issuer may use or leave out. */
const withoutPrefix = (subject: string): string =>
  subject.startsWith(CLIENT_SUBJECT) ? subject.slice(CLIENT_SUBJECT.length) : subject;

const ownRole = (roles: Issuer['roles'], name: string): Role | undefined =>
  Object.hasOwn(roles, name) ? roles[name] : undefined;

/** The value of the claim with this name. If there is none, dots in the name lead into objects: `a.b` is `b` in the claim `a`. */
function valueIn(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      payload,
    );
}

function textsIn(payload: JWTPayload, name: string): string[] {
  const value = valueIn(payload, name);
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string');
}

const textIn = (payload: JWTPayload, name: string): string | undefined =>
  textsIn(payload, name).join(' ') || undefined;

const uuidIn = (payload: JWTPayload, name: string): string | null => uuidOf(valueIn(payload, name));

function uuidOf(value: unknown): string | null {
  const parsed = uuid().safeParse(value);
  return parsed.success ? parsed.data : null;
}
