import { LockMode } from '@mikro-orm/core';
import type { Scope } from '#server/auth/scopes.ts';
import { invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { wrongCredentials, type ServiceClients } from '../service-clients/service-clients.ts';
import type { ClientCredentialsShape, ClientTokenShape } from '../service-clients/service-clients.shapes.ts';
import type { AccessTokens } from '../sessions/access-tokens.ts';
import { ACCESS_TOKEN_SECONDS } from '../sessions/lifetimes.ts';
import { ApiClient } from './api-client.entity.ts';
import { isSecretOf } from './client-secrets.ts';

/** Access tokens by client credentials: for the services of the platform, and for the machine clients of gyms. */
export class ClientTokens {
  private readonly unit: UnitOfWork;
  private readonly tokens: AccessTokens;
  private readonly services: ServiceClients;

  constructor(unit: UnitOfWork, tokens: AccessTokens, services: ServiceClients) {
    this.unit = unit;
    this.tokens = tokens;
    this.services = services;
  }

  /**
   * An access token for the service or machine client with these credentials.
   * @param authorization the request's `Authorization`, which may be `Basic` with the id and the secret
   * @throws UNAUTHENTICATED for a wrong id or secret, and for a client that has expired; VALIDATION_FAILED for a scope that
   * the client was not granted
   */
  async issue(body: ClientCredentialsShape, authorization: string | undefined): Promise<ClientTokenShape> {
    const { id, secret } = credentialsIn(body, authorization);
    return isUuid(id) ? this.ofApiClient(id, secret, body.scope) : this.services.token(id, secret);
  }

  private async ofApiClient(
    id: string,
    secret: string,
    scope: string | undefined,
  ): Promise<ClientTokenShape> {
    return this.unit.transaction(async () => {
      // The lock makes a deletion of the client wait, so that the deletion also refuses this token.
      const client = await this.unit.em.findOne(
        ApiClient,
        { id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      if (!client || !(await isSecretOf(this.unit, id, secret))) throw wrongCredentials();
      const seconds = secondsLeft(client);
      if (seconds <= 0) throw wrongCredentials();
      const scopes = scope === undefined ? client.scopes : grantedIn(scope, client.scopes);
      client.lastUsedAt = new Date();
      return {
        access_token: this.tokens.ofClient(client, scopes, seconds),
        token_type: 'Bearer',
        expires_in: seconds,
        scope: scopes.join(' '),
      };
    });
  }
}

/** For how many seconds a token of the client may be valid; 0 or less if the client has expired. */
const secondsLeft = ({ expiresAt }: ApiClient): number =>
  expiresAt
    ? Math.min(ACCESS_TOKEN_SECONDS, Math.floor((expiresAt.getTime() - Date.now()) / 1000))
    : ACCESS_TOKEN_SECONDS;

/** The requested scopes, separated by spaces in `scope`. @throws VALIDATION_FAILED at `scope` if one of them was not granted */
function grantedIn(scope: string, granted: readonly Scope[]): Scope[] {
  const requested = [...new Set(scope.split(' ').filter(Boolean))];
  const refused = requested.find((name) => !granted.some((one) => one === name));
  if (refused !== undefined || requested.length === 0)
    throw invalid('scope', `expected some of the scopes that the client was granted: ${granted.join(' ')}`);
  return granted.filter((name) => requested.includes(name));
}

/** @throws UNAUTHENTICATED if there are no credentials, VALIDATION_FAILED if both the body and the header have a secret */
function credentialsIn(
  { client_id: id, client_secret: secret }: ClientCredentialsShape,
  authorization: string | undefined,
): { id: string; secret: string } {
  const basic = basicCredentialsIn(authorization);
  if (basic && secret !== undefined)
    throw invalid('client_secret', 'expected the secret once: in the body, or in the Authorization header');
  if (basic) return basic;
  if (id === undefined || secret === undefined) throw wrongCredentials();
  return { id, secret };
}

/**
 * The credentials of HTTP Basic authentication; undefined if the header has none. Id and secret are encoded as in a form
 * (RFC 6749, section 2.3.1). @throws UNAUTHENTICATED if they are not
 */
function basicCredentialsIn(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret.join(':')) };
  } catch {
    throw wrongCredentials();
  }
}
