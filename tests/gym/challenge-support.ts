import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import type { TestPlatform } from '../support/platform.ts';

export const MINUTE_MILLIS = 60_000;
export const HOUR_MILLIS = 60 * MINUTE_MILLIS;
export const ago = (millis: number): string => new Date(Date.now() - millis).toISOString();

/** Challenges of a gym and trainings of its members. The parameters are functions, because the platform starts later. */
export function challengeSupport(running: () => TestPlatform, staff: () => string) {
  const gym = (method: string, path: string, token: string, body?: object) =>
    running().rest('gym', method, path, { token, ...(body && { body }) });
  const content = (method: string, path: string, token: string, body?: object) =>
    running().rest('content', method, path, { token, ...(body && { body }) });

  /** Creates a challenge from two days ago to tomorrow, and returns its id. */
  const challenge = async (metric: string, change: object = {}): Promise<string> => {
    const { body, status } = await gym('POST', '/challenges', staff(), {
      title: `Challenge ${randomUUID()}`,
      metric,
      goal: 1_000,
      startsAt: ago(48 * HOUR_MILLIS),
      endsAt: ago(-24 * HOUR_MILLIS),
      ...change,
    });
    expect(status).toBe(201);
    return body.id;
  };
  /** Logs a training that began `began` minutes ago and lasted `lasted` minutes; returns its id. */
  const log = async (token: string, began: number, lasted: number, change: object = {}): Promise<string> => {
    const { body, status } = await content('POST', '/trainings', token, {
      startedAt: ago(began * MINUTE_MILLIS),
      endedAt: ago((began - lasted) * MINUTE_MILLIS),
      ...change,
    });
    expect(status).toBe(201);
    return body.id;
  };
  const join = async (id: string, token: string) => (await gym('POST', `/challenges/${id}/join`, token)).body;
  const scoreOf = async (id: string, token: string): Promise<number> =>
    (await gym('GET', `/challenges/${id}`, token)).body.score;
  /** Waits until the user's score has this value. */
  const reaches = (id: string, token: string, score: number) =>
    eventually(async () => (await scoreOf(id, token)) === score, 20_000).catch(async () =>
      expect(await scoreOf(id, token)).toBe(score),
    );
  return { gym, content, challenge, log, join, scoreOf, reaches };
}
