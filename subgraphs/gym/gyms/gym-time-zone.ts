import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * The time zone of a gym (IANA). It is used, for example, for local dates that belong to no location. UTC if there is no
 * such gym.
 */
export async function timeZoneOf(unit: UnitOfWork, gymId: string): Promise<string> {
  const [gym] = await unit.read<{ timezone: string }>('select timezone from gym where id = ?', [gymId]);
  return gym?.timezone ?? 'UTC';
}
