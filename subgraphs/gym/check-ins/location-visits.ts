import type { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import DataLoader from 'dataloader';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireScope, requireUser } from '#server/auth/viewer.ts';
import { WITHOUT_FORMULAS } from '#server/csv/formulas.ts';
import { forbidden, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import { streamOf } from '#server/streams.ts';
import { instantsOf, RangeInput, type TimeRange } from '#server/time-range.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { maySeeVisitsAt } from '../access.ts';
import type { CheckInShape, PersonInsideShape } from './check-ins.shapes.ts';
import { shownToPresenter } from '../members/may-enter.ts';
import type { Memberships } from '../members/memberships.ts';
import { uncachedListLoaderOf } from '../uncached-loaders.ts';
import type { FindPeople } from './people.ts';
import { presentVisit, VISIT, type VisitRow } from './visits.ts';

const cursors = cursorsOf('visits', z.tuple([z.iso.datetime(), uuid()]));

/** The maximum number of people in a list of those inside; if there are more, those who came last are listed. */
const MAX_PEOPLE = 1_000;
/** The visits that an export reads at once. */
const EXPORT_PAGE = 1_000;
const CSV_COLUMNS = [
  'id',
  'userId',
  'displayName',
  'checkedInAt',
  'checkedOutAt',
  'method',
  'source',
] as const;

interface PlaceOfVisits {
  id: string;
  gymId: string;
  timezone: string;
}

/** Which visits to read: at a location in a range, newest first, the first `count` of them, or the `count` that follow `after`. */
interface VisitsAt {
  locationId: string;
  range: TimeRange;
  after: readonly [checkedInAt: string, id: string] | undefined;
  count: number;
}

/** The people inside a location, and its visits: for staff, and machine clients with `visits:read`. */
export class LocationVisits {
  private readonly unit: UnitOfWork;
  private readonly findPeople: FindPeople;
  private readonly memberships: Memberships;
  private readonly places = loaderOf(
    (ids) =>
      this.unit.read<PlaceOfVisits>(
        `select location.id, gym_id as "gymId", location.timezone from location join gym on gym.id = gym_id
         where location.id = any(?::uuid[]) and gym.opened_at is not null`,
        [ids],
      ),
    (place) => place.id,
  );
  private readonly inside = uncachedListLoaderOf(
    (ids) => this.openVisits(ids),
    (visit) => visit.locationId,
  );
  private readonly visits = new DataLoader<VisitsAt, VisitRow[]>((wanted) => this.read(wanted), {
    cache: false,
  });

  constructor(unit: UnitOfWork, findPeople: FindPeople, memberships: Memberships) {
    this.unit = unit;
    this.findPeople = findPeople;
    this.memberships = memberships;
  }

  /** The open visits at a location, the latest first; at most 1,000. Batched. @throws NOT_FOUND, FORBIDDEN */
  async openAt(locationId: string): Promise<CheckInShape[]> {
    await this.seen(locationId);
    return (await this.inside.load(locationId)).map(presentVisit);
  }

  /** As `openAt`, with the names and memberships of the people. @throws UPSTREAM_UNAVAILABLE if identity does not answer */
  async peopleAt(locationId: string): Promise<PersonInsideShape[]> {
    const visits = await this.openAt(locationId);
    const ids = visits.map(({ userId }) => userId).filter((id) => id !== null);
    const people = await this.findPeople(ids, this.unit.origin);
    const inside = await Promise.all(
      visits.map(async (visit) => {
        const person = visit.userId === null ? undefined : people.get(visit.userId);
        if (!person) return []; // their account has just been deleted
        const found = await this.memberships.find(visit.gymId, person.id);
        const { membership, ...user } = shownToPresenter(this.unit.viewer, { ...person, membership: found });
        return [{ user, membership, visit }];
      }),
    );
    return inside.flat();
  }

  /** A page of the visits at a location, newest first. Batched. @throws NOT_FOUND, FORBIDDEN */
  async list(
    locationId: string,
    { from, to, ...request }: PageRequest & RangeInput,
  ): Promise<Page<CheckInShape>> {
    const { timezone } = await this.seen(locationId);
    const rows = await this.visits.load({
      locationId,
      range: instantsOf(validated(RangeInput, { from, to }), timezone),
      after: cursors.read(request.cursor),
      count: pageSize(request) + 1,
    });
    return mapPage(
      cursors.page(rows, request, (visit) => [visit.checkedInAt, visit.id]),
      presentVisit,
    );
  }

  /**
   * All visits at a location in a range as CSV (RFC 4180), newest first, as a stream in bounded memory.
   * @throws NOT_FOUND, FORBIDDEN; the stream fails with UPSTREAM_UNAVAILABLE if identity does not answer
   */
  async csv(locationId: string, { from, to }: RangeInput): Promise<Readable> {
    const { timezone } = await this.seen(locationId);
    const range = instantsOf(validated(RangeInput, { from, to }), timezone);
    const csv = stringify({
      header: true,
      columns: [...CSV_COLUMNS],
      record_delimiter: 'windows', // RFC 4180: CRLF
      ...WITHOUT_FORMULAS,
    });
    return streamOf(this.rows(locationId, range), [csv]);
  }

  private async *rows(locationId: string, range: TimeRange): AsyncGenerator<object> {
    let after: VisitsAt['after'];
    for (;;) {
      const page = await this.visits.load({ locationId, range, after, count: EXPORT_PAGE });
      const ids = page.map(({ userId }) => userId).filter((id) => id !== null);
      const people = await this.findPeople([...new Set(ids)], this.unit.origin);
      for (const visit of page.map(presentVisit))
        yield { ...visit, displayName: visit.userId && people.get(visit.userId)?.displayName };
      const last = page.at(-1);
      if (!last || page.length < EXPORT_PAGE) return;
      after = [last.checkedInAt, last.id];
    }
  }

  /** The location, if the viewer may see its visits. @throws NOT_FOUND, FORBIDDEN */
  private async seen(locationId: string): Promise<PlaceOfVisits> {
    const { viewer } = this.unit;
    if (viewer.kind === 'client') requireScope(viewer, 'visits:read');
    else requireUser(viewer);
    const place = isUuid(locationId) ? await this.places.load(locationId) : null;
    if (place && maySeeVisitsAt(viewer, place)) return place;
    if (place && viewer.kind === 'user' && viewer.gymId === place.gymId)
      throw forbidden("Only the gym's staff may see who is at a location.");
    throw notFound('location', locationId);
  }

  private openVisits(ids: readonly string[]): Promise<VisitRow[]> {
    return this.unit.read<VisitRow>(
      `select latest.* from unnest(?::uuid[]) as wanted (id) cross join lateral (
         select ${VISIT} from check_in where location_id = wanted.id and checked_out_at is null and expires_at > now()
         order by checked_in_at desc, id desc limit ${MAX_PEOPLE}
       ) as latest order by latest."checkedInAt" desc, latest.id desc`,
      [ids],
    );
  }

  /** One statement for the visits of all these locations. */
  private async read(wanted: readonly VisitsAt[]): Promise<VisitRow[][]> {
    const column = <Value>(valueOf: (one: VisitsAt) => Value) => wanted.map(valueOf);
    const rows = await this.unit.read<VisitRow & { number: number }>(
      `select wanted.number::int as number, latest.*
       from unnest(?::uuid[], ?::timestamptz[], ?::timestamptz[], ?::timestamptz[], ?::uuid[], ?::int[])
         with ordinality as wanted (location_id, starts, ends, after_time, after_id, count, number)
       cross join lateral (
         select ${VISIT} from check_in
         where location_id = wanted.location_id and check_out_kind is distinct from 'UNDONE'
           and checked_in_at >= wanted.starts and checked_in_at < wanted.ends
           and (checked_in_at, id) < (wanted.after_time, wanted.after_id)
         order by checked_in_at desc, id desc limit wanted.count
       ) as latest order by latest."checkedInAt" desc, latest.id desc`,
      [
        column(({ locationId }) => locationId),
        column(({ range }) => range.from?.toISOString() ?? '-infinity'),
        column(({ range }) => range.to?.toISOString() ?? 'infinity'),
        column(({ after }) => after?.[0] ?? 'infinity'),
        column(({ after }) => after?.[1] ?? LAST_ID),
        column(({ count }) => count),
      ],
    );
    const found = Map.groupBy(rows, ({ number }) => number);
    return wanted.map((_one, index) =>
      (found.get(index + 1) ?? []).map(({ number: _number, ...visit }) => visit),
    );
  }
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
