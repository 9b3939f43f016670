import { defineEntity, p } from '@mikro-orm/core';
import type { Scope } from '#server/auth/scopes.ts';
import { uuidv7 } from '#server/ids.ts';

/** A machine client: a machine or program of a gym, such as a turnstile, that authenticates with a secret of its own. */
const ApiClientSchema = defineEntity({
  name: 'ApiClient',
  tableName: 'api_client',
  indexes: [{ properties: ['gymId', 'id'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: p.uuid(),
    name: p.string().length(100),
    scopes: p.array<Scope>(),
    /** The only location at which the client may act; null if it may at all locations of its gym. */
    locationId: p.uuid().nullable(),
    createdAt: p.datetime(),
    /** When the client last got a token. */
    lastUsedAt: p.datetime().nullable(),
    /** The client gets no token after this time, and its tokens expire at this time at the latest. */
    expiresAt: p.datetime().nullable(),
  },
});

export class ApiClient extends ApiClientSchema.class {}
ApiClientSchema.setClass(ApiClient);

/** A secret of a client. A client has one, and two for a day after a rotation. */
const ApiClientSecretSchema = defineEntity({
  name: 'ApiClientSecret',
  tableName: 'api_client_secret',
  indexes: [{ properties: ['clientId'] }, { properties: ['validUntil'] }],
  properties: {
    /** SHA-256 of the secret. */
    hash: p.string().length(43).primary(),
    clientId: () => p.manyToOne(ApiClient).deleteRule('cascade').fieldName('client_id').mapToPk(),
    /** Null for the current secret. A rotation sets it for the secret that was current before. */
    validUntil: p.datetime().nullable(),
  },
});

export class ApiClientSecret extends ApiClientSecretSchema.class {}
ApiClientSecretSchema.setClass(ApiClientSecret);
