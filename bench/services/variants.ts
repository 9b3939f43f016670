import { generateKeyPairSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { freePort } from '#server/http/free-ports.ts';
import { start, type Started } from '../gateway/processes.ts';

export const VARIANTS = ['baseline', 'express', 'graphql-js', 'compiled'] as const;
export type Variant = (typeof VARIANTS)[number];

export interface StartedVariant extends Started {
  readonly url: string;
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const token = jwt.sign(
  { role: 'MEMBER', gymId: null, sid: 's' },
  privateKey.export({ type: 'pkcs8', format: 'pem' }),
  { algorithm: 'ES256', keyid: 'k1', issuer: 'i', audience: 'a', subject: 'u1', expiresIn: '2h' },
);

/** The headers that the gateway sends. */
export const headers = {
  'content-type': 'application/json',
  accept: 'application/json',
  authorization: `Bearer ${token}`,
  'x-request-id': 'bench-1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

/** @param answers the responses of the baseline by the name of the operation */
export async function startVariant(
  variant: Variant,
  answers: Readonly<Record<string, string>> = {},
): Promise<StartedVariant> {
  const port = await freePort();
  const env = {
    PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ANSWERS: JSON.stringify(answers),
  };
  const one = await start(['bench/services/server.ts', variant, String(port)], { env, ready: /^ready/ });
  return { ...one, url: `http://127.0.0.1:${port}/graphql` };
}
