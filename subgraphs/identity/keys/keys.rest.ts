import { z } from 'zod';
import { SUPER_ADMINS } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { AUTH_RATE } from '../rates.ts';
import type { Keys } from './keys.ts';

const route = restRoute<{ keys: Keys }>(TAGS.signingKeys);

export const keysRest = [
  route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'getSigningKeys',
    summary: 'The public keys that verify access tokens',
    description:
      'A JSON Web Key Set (RFC 7517). A new key is published before it signs; an old one stays published until its last token has expired.',
    auth: 'ignoreInvalidToken',
    success: {
      status: 200,
      description: 'The keys.',
      shape: z.object({
        keys: z
          .array(z.record(z.string(), z.unknown()))
          .meta({ description: 'The public keys that verify access tokens, as JSON Web Keys (RFC 7517).' }),
      }),
    },
    // 5 s: a cache between the services and identity must not still answer without a new key when this key begins to sign.
    handler: (_request, { keys }) =>
      new Reply(200, keys.published(), { 'Cache-Control': 'public, max-age=5' }),
  }),
  route({
    method: 'POST',
    path: '/auth/keys/rotate',
    operationId: 'rotateSigningKey',
    summary: 'Rotate the signing key now',
    only: SUPER_ADMINS,
    description:
      'The next key is published at once and signs from `signsFrom` on. Tokens of the previous key stay valid until they expire, so clients have nothing to do.',
    auth: 'required',
    rateLimit: AUTH_RATE,
    success: {
      status: 200,
      description: 'The next key.',
      shape: z.object({ kid: z.string(), signsFrom: z.iso.datetime() }).meta({ graphType: 'SigningKey' }),
    },
    errors: ['FORBIDDEN'],
    handler: (_request, { keys }) => keys.rotate(),
  }),
];
