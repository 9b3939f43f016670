import { DateTime } from 'luxon';
import { requireGymAdmin } from '#server/auth/viewer.ts';
import { invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import type { FirstVisit } from '../availability/reservation-store.ts';
import { SLOT_MILLIS } from '../availability/slots.ts';
import type { Lookups } from '../other-services.ts';
import type { WizardStorage } from '../storage.ts';
import { FirstVisitsFilter, type FirstVisitShape } from './first-visits.shapes.ts';

const DEFAULT_MILLIS = 7 * DAY_MILLIS;
const LONGEST_MILLIS = 92 * DAY_MILLIS;
/**
 * The largest difference of a time zone from UTC. A local day lies within the UTC day of the same date, made longer by this time
 * at both ends.
 */
const FURTHEST_ZONE_MILLIS = 14 * 60 * 60 * 1000; // 14 h
const MAX_VISITS = 1_000;

/** First visits of new members, for the staff of the gym. */
export class FirstVisits {
  private readonly unit: UnitOfWork;
  private readonly storage: WizardStorage;
  private readonly lookups: Lookups;

  constructor(unit: UnitOfWork, { storage, lookups }: { storage: WizardStorage; lookups: Lookups }) {
    this.unit = unit;
    this.storage = storage;
    this.lookups = lookups;
  }

  /**
   * The first visits at the viewer's gym for a GYM_ADMIN, at any gym for a SUPER_ADMIN; the earliest first.
   * @throws GYM_REQUIRED, FORBIDDEN
   */
  async list(filter: unknown): Promise<FirstVisitShape[]> {
    const { gymId: requested, from, to } = validated(FirstVisitsFilter, filter);
    const gymId = requireGymAdmin(this.unit.viewer, requested);
    const start = boundOf(from, 'first') ?? { time: Date.now() };
    const end = boundOf(to, 'last') ?? { time: start.time + DEFAULT_MILLIS };
    if (end.time < start.time || end.time - start.time > LONGEST_MILLIS)
      throw invalid('to', `expected a time after "from", at most ${LONGEST_MILLIS / DAY_MILLIS} days later`);
    const range = {
      gymId,
      from: new Date(start.time - (start.day ? FURTHEST_ZONE_MILLIS : 0)),
      to: new Date(end.time + (end.day ? FURTHEST_ZONE_MILLIS : 0)),
    };
    const visits: FirstVisit[] = [];
    let after: FirstVisit | undefined;
    do {
      const page = await this.storage
        .reservations(this.unit)
        .firstVisits({ ...range, after, limit: MAX_VISITS });
      visits.push(...(await this.onDays(page, start.day, end.day)));
      after = page.length === MAX_VISITS ? page.at(-1) : undefined;
    } while (after && visits.length < MAX_VISITS);
    return visits.slice(0, MAX_VISITS).map(present);
  }

  /** The visits whose local day, in the time zone of their location, is not before `first` and not after `last`. */
  private async onDays(
    visits: readonly FirstVisit[],
    first: string | undefined,
    last: string | undefined,
  ): Promise<readonly FirstVisit[]> {
    if (!first && !last) return visits;
    const ids = [...new Set(visits.map(({ locationId }) => locationId))];
    const zones = new Map(
      await Promise.all(
        ids.map(async (id) => [id, (await this.lookups.location(id))?.timezone ?? 'UTC'] as const),
      ),
    );
    return visits.filter(({ locationId, startsAt }) => {
      const day = DateTime.fromJSDate(startsAt, { zone: zones.get(locationId) ?? 'UTC' }).toISODate() ?? '';
      return (!first || day >= first) && (!last || day <= last);
    });
  }
}

interface Bound {
  /** Milliseconds since 1970; for a day, its beginning or end in UTC. */
  time: number;
  /** Absent if the bound is a time. */
  day?: string;
}

function boundOf(text: string | null | undefined, side: 'first' | 'last'): Bound | undefined {
  if (!text) return undefined;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = Date.parse(text);
  return isDay ? { time: time + (side === 'last' ? DAY_MILLIS : 0), day: text } : { time };
}

const present = ({ sessionId, userId, locationId, startsAt }: FirstVisit): FirstVisitShape => ({
  id: sessionId,
  userId,
  locationId,
  startsAt: startsAt.toISOString(),
  endsAt: new Date(startsAt.getTime() + SLOT_MILLIS).toISOString(),
});
