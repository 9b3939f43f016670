import { randomBytes } from 'node:crypto';
import { DAY_MILLIS } from '#server/durations.ts';
import { eventually } from '../support/eventually.ts';
import type { CallOptions, TestPlatform, Untyped } from '../support/platform.ts';

export const SESSION_FIELDS =
  'id kind status definitionVersion currentStep version createdBy gymId expiresAt resumeToken steps { key title status data errors { path message } currentlyDue } files { id step field filename contentType bytes url } deployment { status startedAt finishedAt actions { name service status attempts error { code message } result } result }';

/** The date of the Monday that is 8 to 14 days ahead, or of the day `daysLater` after it, such as `2026-01-05`. */
export function comingMonday(daysLater = 0): string {
  const weekday = new Date().getUTCDay(); // 1: Monday
  const ahead = 7 + ((8 - weekday) % 7 || 7) + daysLater;
  return new Date(Date.now() + ahead * DAY_MILLIS).toISOString().slice(0, 10);
}

/** The data of a gym with a unique name, by step. */
export const newGym = () => {
  const unique = randomBytes(5).toString('hex');
  return {
    basics: { name: `Gym ${unique}`, slug: `gym-${unique}`, timezone: 'Europe/Berlin' } as Record<
      string,
      unknown
    > & {
      name: string;
      slug: string;
    },
    branding: { theme: { colors: { primary: '#224488' } } },
    locations: {
      locations: [
        { name: 'Main hall', capacity: 40, openingHours: { mon: [{ opens: '06:30', closes: '22:00' }] } },
        { name: 'Pool', capacity: 20, timezone: 'Europe/Vienna', address: 'Water 1' },
      ],
    },
    features: { features: { shop: false, nutrition: true } },
    admin: { email: `admin-${unique}@example.test`, displayName: 'First Admin' },
    review: { confirmed: true },
  };
};
export type NewGym = ReturnType<typeof newGym>;

/** Creates a session for a gym, and fills in all its steps. */
export async function preparedGym(
  platform: TestPlatform,
  gym: object = newGym(),
  options: CallOptions = {},
): Promise<{ id: string; version: number }> {
  const token = options.token ?? (await platform.demo('super@demo.test'));
  const { body } = await platform.rest('wizard', 'POST', '/', { token, body: { kind: 'GYM_SETUP' } });
  let session = body;
  for (const [step, data] of Object.entries(gym))
    session = (await platform.rest('wizard', 'PUT', `/${body.id}`, { token, body: { step, data } })).body;
  return session;
}

/** Reads the session repeatedly until it has one of the statuses. */
export async function settled(
  platform: TestPlatform,
  id: string,
  statuses: readonly string[] = ['DEPLOYED', 'FAILED'],
): Promise<Untyped> {
  const token = await platform.demo('super@demo.test');
  return eventually(async () => {
    const { body } = await platform.rest('wizard', 'GET', `/${id}`, { token });
    return statuses.includes(body.status) && body;
  }, 25_000);
}
