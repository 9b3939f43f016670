import { z } from 'zod';
import {
  callerKey,
  requireGymAdmin,
  requireGymOfClient,
  requireRole,
  requireScope,
  Role,
  type ClientViewer,
  type KnownViewer,
} from '../auth/viewer.ts';
import { DAY_MILLIS, HOUR_MILLIS } from '../durations.ts';
import { forbidden, invalid, PlatformError, unauthenticated } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { cursorsOf, pageSize } from '../paging.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { EventLog } from './event-log.ts';
import { eventsAfter, feedState, type EventFilter, type EventRow } from './event-rows.ts';
import {
  declarationOf,
  EVENT_TYPE_NAMES,
  INTERNAL_EVENT_TYPE_NAMES,
  type AnyEventType,
  type EventType,
} from './event-types.ts';
import {
  MAX_WAIT_SECONDS,
  type EventPageShape,
  type EventShape,
  type EventsRequest,
} from './events.shapes.ts';

/**
 * The time in a cursor is rounded down to the hour, so that requests within an hour get equal cursors if they end at the same
 * position.
 */
const CURSOR_STEP_MILLIS = HOUR_MILLIS;
/**
 * How long a cursor is valid. The documents say that events are kept for 30 days; the hour is added because the time in a
 * cursor can be up to an hour too early. Events are kept for 31 days (`eventRetention`), so that no event after a
 * valid cursor is missing.
 */
const CURSOR_MILLIS = 30 * DAY_MILLIS + CURSOR_STEP_MILLIS;

const LATEST = 'latest';

/** A position, and the time up to which its reader has read, in milliseconds since 1970. */
type Cursor = readonly [position: number, readUntil: number];
// Created only once, because every request has a feed of its own, and this shape would take a tenth of a short request's time.
const CURSOR = z.tuple([z.int().min(0), z.int().min(0)]);

/** The feed of a service's events, in the order of their publication and without gaps. */
export class EventFeed {
  private readonly unit: UnitOfWork;
  private readonly log: EventLog;

  constructor(unit: UnitOfWork, log: EventLog) {
    this.unit = unit;
    this.log = log;
  }

  private get cursors() {
    return cursorsOf<Cursor>(`events:${this.log.service}`, CURSOR, {
      path: 'after',
      message: 'expected "latest", or `next` of an earlier answer of this feed',
    });
  }

  /**
   * Returns the events after a cursor; if there are none, waits for the next ones, for `request.wait` seconds at most.
   * @throws FORBIDDEN for a MEMBER, another gym or a missing scope; VALIDATION_FAILED for an unknown type or cursor;
   * CURSOR_EXPIRED for a cursor that is older than 30 days; RATE_LIMITED if too many requests wait
   */
  async read(request: EventsRequest): Promise<EventPageShape> {
    const { viewer } = this.unit;
    if (viewer.kind === 'anonymous') throw unauthenticated();
    const filter = filterOf(viewer, request);
    const limit = limitOf(request);
    await this.log.publish();
    if (request.after === LATEST)
      return { events: [], next: this.cursorAt((await feedState(this.unit)).last, Date.now()) };
    const after = this.cursors.read(request.after) ?? ([0, Date.now()] as const);
    const wait = Math.min(request.wait ?? 0, MAX_WAIT_SECONDS) * 1_000;
    return wait > 0 ? this.waitFor(viewer, after, filter, limit, wait) : this.page(after, filter, limit);
  }

  private async waitFor(
    viewer: KnownViewer,
    after: Cursor,
    filter: EventFilter,
    limit: number,
    millis: number,
  ): Promise<EventPageShape> {
    const until = performance.now() + millis;
    const clientLeftSignal = this.unit.origin.clientLeft?.();
    const place = this.log.waiting.enter(callerKey(viewer), filter.gymId);
    try {
      for (;;) {
        const page = await this.page(after, filter, limit);
        const remaining = until - performance.now();
        if (page.events.length > 0 || remaining <= 0 || clientLeftSignal?.aborted || this.log.waiting.isEnded)
          return page;
        await place.wait(remaining, clientLeftSignal);
      }
    } finally {
      place.leave();
    }
  }

  private async page(
    [position, readUntil]: Cursor,
    filter: EventFilter,
    limit: number,
  ): Promise<EventPageShape> {
    const now = Date.now();
    const { rows, last, highest } = await eventsAfter(this.unit, position, filter, limit + 1);
    if (position > highest) throw invalid('after', 'expected `next` of an earlier answer of this feed');
    if (readUntil < now - CURSOR_MILLIS)
      throw new PlatformError(
        'CURSOR_EXPIRED',
        'Events are kept for 30 days, and this cursor is older. Read the resources themselves again, and then the events from the oldest one on (without "after").',
      );
    const shown = rows.slice(0, limit);
    const end = shown.at(-1);
    // If there are further events, the reader has read up to the last one that is shown, else up to now.
    const next =
      rows.length > limit && end
        ? this.cursorAt(end.position, Math.min(now, Date.parse(end.publishedAt)))
        : this.cursorAt(Math.max(last, position), now);
    const traces = this.unit.viewer.kind === 'service' ? tracesOf(shown) : undefined;
    return { events: shown.map(presentEvent), next, ...(traces && { traces }) };
  }

  private cursorAt(position: number, readUntil: number): string {
    return this.cursors.write([position, readUntil - (readUntil % CURSOR_STEP_MILLIS)]);
  }
}

/** The trace contexts of the events by their ids; undefined if none is sampled. */
function tracesOf(rows: readonly EventRow[]): Record<string, string> | undefined {
  const traces = rows.flatMap(({ id, traceparent }) =>
    traceparent === null ? [] : [[id, traceparent] as const],
  );
  return traces.length > 0 ? Object.fromEntries(traces) : undefined;
}

/** @throws VALIDATION_FAILED for a limit below 1, with which a reader would never proceed */
function limitOf({ limit }: EventsRequest): number {
  if (typeof limit === 'number' && limit < 1)
    throw invalid('limit', `expected a whole number of at least 1, got ${limit}`);
  return pageSize({ limit: limit ?? undefined });
}

/** @throws UNAUTHENTICATED, FORBIDDEN, GYM_REQUIRED, VALIDATION_FAILED */
function filterOf(viewer: KnownViewer, { types, gymId }: EventsRequest): EventFilter {
  if (gymId && !isUuid(gymId)) throw invalid('gymId', 'expected the id of a gym');
  if (viewer.kind === 'service')
    return {
      gymId: gymId ?? null,
      types: typesNamed(types, TYPES_FOR_SERVICES) ?? TYPES_FOR_SERVICES,
      locationId: null,
    };
  const named = typesNamed(types, EVENT_TYPE_NAMES);
  if (viewer.kind === 'client') {
    requireScope(viewer, 'events:read');
    return {
      gymId: requireGymOfClient(viewer, gymId),
      types: typesOf(viewer, named),
      locationId: viewer.locationId,
    };
  }
  const { role } = requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  return {
    gymId: role === Role.SUPER_ADMIN ? (gymId ?? null) : requireGymAdmin(viewer, gymId),
    types: named ?? EVENT_TYPE_NAMES,
    locationId: null,
  };
}

const TYPES_FOR_SERVICES: readonly AnyEventType[] = [...EVENT_TYPE_NAMES, ...INTERNAL_EVENT_TYPE_NAMES];

/** @throws VALIDATION_FAILED for a type that is not one of `known`, the types that callers of this kind may name */
function typesNamed<Type extends AnyEventType>(
  names: EventsRequest['types'],
  known: readonly Type[],
): Type[] | undefined {
  return names?.map((name) => {
    const type = known.find((one) => one === name);
    if (type === undefined)
      throw invalid('types', `expected types of events: ${known.join(', ')}; got "${name.slice(0, 64)}"`);
    return type;
  });
}

/** Whether a machine client with `events:read` or `webhooks` gets events of this type: its scopes let it read the resource. */
export function mayReadType(client: ClientViewer, type: EventType): boolean {
  const { scope } = declarationOf(type);
  return scope === null || client.scopes.has(scope);
}

/**
 * The types of which a machine client gets events: those that it names; if it names none, all whose resource it may read.
 * @throws FORBIDDEN if it names a type whose resource it may not read
 */
export function typesOf(client: ClientViewer, named: readonly EventType[] | undefined): readonly EventType[] {
  const refused = named?.find((type) => !mayReadType(client, type));
  if (refused)
    throw forbidden(
      `Events of the type ${refused} need the scope ${declarationOf(refused).scope}, which the token does not have.`,
    );
  return named ?? EVENT_TYPE_NAMES.filter((type) => mayReadType(client, type));
}

export const presentEvent = ({ id, type, gymId, subject, occurredAt, data }: EventRow): EventShape => ({
  id,
  type,
  gymId,
  subject,
  occurredAt,
  data,
});
