import { randomUUID } from 'node:crypto';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { TestPlatform } from '../support/platform.ts';

export interface Member {
  id: string;
  token: string;
  qrCode: string;
}

/** Somebody new who has registered at that gym. */
export async function newMember(
  platform: TestPlatform,
  gymId: string | null = DEMO_GYMS.ironTemple.id,
): Promise<Member> {
  const { id, token } = await platform.register(gymId);
  const { body } = await platform.rest('identity', 'GET', '/users/me', { token });
  return { id, token, qrCode: body.qrCode };
}

/** What a location may be made of. */
export const place = (change: object = {}) => ({
  name: `Hall ${randomUUID()}`,
  timezone: 'Europe/Berlin',
  capacity: 10,
  ...change,
});

/** The id of a new location in the gym of who makes it. */
export async function newLocation(
  platform: TestPlatform,
  token: string,
  change: object = {},
): Promise<string> {
  const { body } = await platform.rest('gym', 'POST', '/locations', { token, body: place(change) });
  return body.id;
}

/** Checks in by REST; the whole answer. */
export const checkIn = (platform: TestPlatform, token: string, body: object) =>
  platform.rest('gym', 'POST', '/locations/check-in', { token, body });

/** Checks out by REST; the whole answer. */
export const checkOut = (platform: TestPlatform, token: string, body: object = {}) =>
  platform.rest('gym', 'POST', '/locations/check-out', { token, body });
