import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

export const PRODUCT = { name: 'Bands', kind: 'MERCHANDISE', price: 1_290, currency: 'eur' };
export const ROUTINE = { title: 'Routine', difficulty: 'Beginner', category: 'Strength', exercises: [] };
export const EXERCISE = { name: 'Sled Dance', primaryMuscles: ['Quadriceps'], modality: 'WEIGHT_DISTANCE' };

export const unique = () => randomUUID().slice(0, 8);

/** The content service for all tests of a file. `who` is the email of a demo user; for any other text no token is sent. */
export function contentService() {
  let platform: TestPlatform;
  const tokens: Record<string, string | undefined> = {};
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'content', 'gym'] });
    for (const email of [
      'super@demo.test',
      'admin@iron.test',
      'maya@iron.test',
      'admin@aqua.test',
      'zoe@aqua.test',
    ] as const)
      tokens[email] = await platform.demo(email);
  });
  afterAll(() => platform.stop());

  const as = (who: string) => (tokens[who] ? { token: tokens[who] } : {});
  const rest = (
    who: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => platform.rest('content', method, path, { ...as(who), ...(body !== undefined && { body }), headers });
  const graph = (who: string, query: string, variables: object = {}) =>
    platform.graph('content', query, variables, as(who));
  return { rest, graph };
}
