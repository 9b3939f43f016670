import { conflict, invalid, type PlatformError } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { WizardDefinition } from '../definitions/definition.ts';
import type { WizardDefinitions } from '../definitions/definitions.ts';
import type { Lookups } from '../other-services.ts';
import { requireEditable } from '../sessions/session-change.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
import type { WizardStorage } from '../storage.ts';
import { CheckAvailabilityShape, type AvailabilityShape, type Reason } from './availability.shapes.ts';
import type { CancelledVisits } from './cancelled-visits.ts';
import { CANDIDATES, type Candidate } from './candidates.ts';
import type { ReservationOutcome } from './reservation-store.ts';
import { RESERVATION_MILLIS, type Resource } from './resources.ts';

const SUGGESTIONS = 3;

interface AvailabilityOptions {
  storage: WizardStorage;
  sessions: Sessions;
  lookups: Lookups;
  cancelledVisits: CancelledVisits;
  definitions: WizardDefinitions;
}

/**
 * Checks for everybody whether values are available, and reserves values for sessions for a limited time. The service that
 * stores a value in the end can still refuse it by its own constraint.
 */
export class Availability {
  private readonly unit: UnitOfWork;
  private readonly options: AvailabilityOptions;

  constructor(unit: UnitOfWork, options: AvailabilityOptions) {
    this.unit = unit;
    this.options = options;
  }

  /**
   * Checks a value, and with `reserve` reserves it for the session if it is available. A value that the session itself has
   * reserved counts as available.
   * @throws VALIDATION_FAILED, UPSTREAM_UNAVAILABLE; with a session also the errors of `Sessions.open`; with `reserve`
   * CONFLICT for a session that can no longer be changed
   */
  async check(input: unknown, resumeToken?: string | null): Promise<AvailabilityShape> {
    const { resource, value, reserve, sessionId } = validated(CheckAvailabilityShape, input);
    if (reserve && !sessionId) throw invalid('sessionId', 'expected the id of the session that reserves it');
    const session = sessionId ? await this.options.sessions.open(sessionId, resumeToken) : undefined;
    if (reserve && session) {
      requireEditable(session);
      requireReservable(resource, this.options.definitions[session.kind]);
    }
    const candidate = await CANDIDATES[resource](value, this.options.lookups);
    const reason = candidate.reason ?? (await this.reasonIfReserved(resource, candidate, sessionId));
    if (reason) return this.refusal(resource, value, reason, candidate);
    if (!reserve || !session) return { resource, value, available: true, suggestions: [] };
    const until = new Date(Date.now() + RESERVATION_MILLIS);
    const outcome = await this.reserve(session, resource, candidate, until);
    if (outcome === 'CLOSED') throw await this.changedMeanwhile(session.id);
    if (outcome === 'GONE') throw conflict('This wizard session has been cancelled; begin a new one.');
    // Another session reserved the value between the check and the reservation.
    if (outcome !== 'HELD')
      return this.refusal(
        resource,
        value,
        outcome === 'BOOKED' ? outcome : reservedReason(resource),
        candidate,
      );
    return { resource, value, available: true, suggestions: [], reservedUntil: until.toISOString() };
  }

  private reserve(
    session: SessionRecord,
    resource: Resource,
    { value, places }: Pick<Candidate, 'value' | 'places'>,
    until: Date,
  ): Promise<ReservationOutcome> {
    return this.options.cancelledVisits.reserve({
      resource,
      value,
      sessionId: session.id,
      places,
      until,
      memberId: resource === 'slot' ? session.createdBy : null,
    });
  }

  /**
   * The error for a session that could be changed when the request arrived, but no longer when the value was to be reserved.
   * @throws CONFLICT of `requireEditable`, whose message names the reason, if the session still cannot be changed
   */
  private async changedMeanwhile(sessionId: string): Promise<PlatformError> {
    const [current] = await this.options.storage.sessions(this.unit).findByIds([sessionId]);
    if (current) requireEditable(current);
    return conflict('The wizard session was changed in the meantime; repeat the request.');
  }

  /** The reason if other sessions have reserved all places of the value; otherwise undefined. */
  private async reasonIfReserved(
    resource: Resource,
    { value, places }: Candidate,
    sessionId: string | null | undefined,
  ): Promise<Reason | undefined> {
    const others = async () => {
      const held = await this.options.storage.reservations(this.unit).holders(resource, [value]);
      return (held.get(value) ?? []).filter((holder) => holder !== sessionId);
    };
    const holders = await others();
    if (holders.length < places) return undefined;
    const isFreed = resource === 'slot' && (await this.options.cancelledVisits.end(holders));
    return isFreed && (await others()).length < places ? undefined : reservedReason(resource);
  }

  private async refusal(
    resource: Resource,
    value: string,
    reason: Reason,
    candidate: Candidate,
  ): Promise<AvailabilityShape> {
    const alternatives = await Promise.all(
      candidate.alternatives().map(async (alternative) => {
        const other = await CANDIDATES[resource](alternative, this.options.lookups);
        return other.reason || (await this.reasonIfReserved(resource, other, undefined)) ? [] : [alternative];
      }),
    );
    return {
      resource,
      value,
      available: false,
      reason,
      suggestions: alternatives.flat().slice(0, SUGGESTIONS),
    };
  }
}

/**
 * Otherwise anybody could reserve the name of a gym that somebody else is about to set up.
 * @throws VALIDATION_FAILED
 */
function requireReservable(resource: Resource, { kind, reserves }: WizardDefinition): void {
  if (!reserves.includes(resource))
    throw invalid('resource', `a session of ${kind} reserves only ${reserves.join(', ')}`);
}

const reservedReason = (resource: Resource): Reason => (resource === 'slot' ? 'FULL' : 'RESERVED');
