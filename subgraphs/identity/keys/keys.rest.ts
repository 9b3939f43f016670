import { z } from 'zod';
import { Reply, restRoute } from '#server/rest/route.ts';
import type { KeyRing } from './key-ring.ts';

const route = restRoute<{ keys: KeyRing }>();

export const keysRest = [
  route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'The public keys by which access tokens are verified',
    description: 'A JSON Web Key Set (RFC 7517). A key that is not in it signs nothing; a new one is published before it signs.',
    auth: 'forgiving',
    success: { status: 200, description: 'The keys.', shape: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }) },
    handler: async (_request, { keys }) => new Reply(200, { keys: (await keys.published()).map(({ jwk }) => jwk) }, { 'Cache-Control': 'public, max-age=5' }),
  }),
];
