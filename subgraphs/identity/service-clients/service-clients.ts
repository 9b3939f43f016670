import { createHash, timingSafeEqual } from 'node:crypto';
import { clientSecretOf, SERVER_NAMES } from '#server/auth/service-secret.ts';
import { unauthenticated } from '#server/errors.ts';
import type { AccessTokens } from '../sessions/access-tokens.ts';
import { ACCESS_TOKEN_SECONDS } from '../sessions/lifetimes.ts';
import type { ClientTokenShape } from './service-clients.shapes.ts';

const CLIENTS: ReadonlySet<string> = new Set(SERVER_NAMES);

/** Access tokens for the services of the installation and the gateway, which authenticate with a secret. */
export class ServiceClients {
  private readonly serviceSecret: string;
  private readonly tokens: AccessTokens;

  constructor(serviceSecret: string, tokens: AccessTokens) {
    this.serviceSecret = serviceSecret;
    this.tokens = tokens;
  }

  /** An access token for the server with this name. @throws UNAUTHENTICATED for an unknown name or a wrong secret */
  token(client: string, secret: string): ClientTokenShape {
    const isRight = timingSafeEqual(digest(secret), digest(clientSecretOf(this.serviceSecret, client)));
    if (!isRight || !CLIENTS.has(client)) throw wrongCredentials();
    return {
      access_token: this.tokens.ofService(client),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
    };
  }
}

export const wrongCredentials = () => unauthenticated('client_id or client_secret is wrong.');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
