import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { dayOf } from '#server/calendar.ts';
import { conflict, forbidden, PlatformError } from '#server/errors.ts';
import {
  sagaAction,
  type ActionCall,
  type PlannedAction,
  type Saga,
  type SagaAction,
} from '#server/saga/saga.ts';
import { unavailable } from '#server/service-calls.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { CancelledVisits } from '../availability/cancelled-visits.ts';
import { CANDIDATES } from '../availability/candidates.ts';
import { SLOT_MILLIS, slotOf, writeSlot } from '../availability/slots.ts';
import type { StepData } from '../definitions/definition.ts';
import {
  BodyShape,
  GoalsShape,
  NutritionShape,
  ProfileShape,
  SlotShape,
} from '../definitions/member-onboarding.ts';
import { lookupsOf, type OtherServices } from '../other-services.ts';
import type { WizardStorage } from '../storage.ts';
import { asService, contextOf, originOf } from './deployment-context.ts';

/**
 * The plan of an onboarding. The first visit comes before changes of the member's data, because it is the action that is
 * most likely to be refused.
 */
export function memberPlan(userId: string, data: StepData): PlannedAction[] {
  const goals = GoalsShape.parse(data.goals);
  const slot = goals.firstVisit === false ? undefined : SlotShape.parse(data.slot);
  const nutrition = goals.nutritionTarget === false ? undefined : NutritionShape.parse(data.nutrition);
  const profile = ProfileShape.parse(data.profile);
  return [
    { name: 'remember', input: { userId, timezone: profile.timezone } },
    ...(slot ? [{ name: 'slot', input: { ...slot, userId } }] : []),
    { name: 'profile', input: { userId, ...profile } },
    ...(nutrition ? [{ name: 'nutrition', input: { userId, ...nutrition } }] : []),
    { name: 'body', input: { userId, ...BodyShape.parse(data.body) } },
    { name: 'goals', input: { userId, goals: goals.goals, activity: goals.activity ?? null } },
  ];
}

/** The code of each action. Stored plans contain the names, so a released name must stay. */
export const memberActions = ({
  services,
  ...slotOptions
}: SlotActionOptions): Record<string, SagaAction> => ({
  remember: rememberAction(services),
  slot: slotAction({ services, ...slotOptions }),
  ...profileActions(services),
  nutrition: nutritionAction(services),
  /** For plans of an older version, when no service stored body and goals. */
  keep: sagaAction<null, { keptIn: string }>({
    service: 'wizard',
    run: async () => ({ keptIn: 'wizard session' }),
  }),
});

/**
 * Reads what the other actions need of the member: the previous values, so that undoing can restore them, their present gym,
 * and the day on which the goal begins. The day is stored, so that an attempt after midnight has the same one.
 */
const rememberAction = (services: OtherServices): SagaAction =>
  sagaAction<{ userId: string; timezone?: string | undefined }, Remembered>({
    service: 'identity',
    isOutputPersonal: true,
    async run(call) {
      const { userId, timezone } = call.input;
      const { gymId, version: _version, ...profile } = await readUser(services, call, userId);
      return { userId, gymId, today: dayOf(new Date(), timezone ?? profile.timezone), profile };
    },
  });

interface SlotActionOptions {
  services: OtherServices;
  storage: WizardStorage;
  unitOf(): UnitOfWork;
  /** The last deployment of each of these sessions. */
  deploymentsOf(sessionIds: readonly string[]): Promise<Saga[]>;
}

const slotAction = ({ services, storage, unitOf, deploymentsOf }: SlotActionOptions): SagaAction =>
  sagaAction<
    { locationId: string; startsAt: string; gymId?: string | null; userId?: string },
    { locationId: string; startsAt: string; bookingId?: string }
  >({
    service: 'gym',
    async run(call) {
      const { gymId: gymOfPlan, userId, ...wanted } = call.input;
      // Plans of an older version contain the gym; in the others it is the member's gym at the time of the deployment.
      const { gymId = gymOfPlan } = remembered(call);
      if (!gymId)
        throw new PlatformError(
          'GYM_REQUIRED',
          'The member belongs to no gym. They must join one before they can have a first visit; or choose to have none.',
        );
      const slot = slotOf(wanted.locationId, new Date(wanted.startsAt));
      const lookups = lookupsOf(services, originOf(call));
      const { reason, places, value } = await CANDIDATES.slot(writeSlot(slot), lookups);
      // FULL is not a refusal yet, because one of the places may be this member's. The reservation and the gym decide below.
      if (reason && reason !== 'FULL')
        throw conflict(`The first visit cannot be at that time: ${reason}. Choose another slot.`);
      if ((await lookups.location(slot.locationId))?.gymId !== gymId)
        throw forbidden('The first visit must be at a location of your own gym; choose another slot.');
      const outcome = await new CancelledVisits(unitOf(), { storage, lookups, deploymentsOf }).reserve({
        resource: 'slot',
        value,
        sessionId: contextOf(call).sessionId,
        places,
        until: new Date(slot.startsAt.getTime() + SLOT_MILLIS),
        memberId: userId, // absent in plans of an older version
        visit: { gymId, startsAt: slot.startsAt },
      });
      if (outcome === 'BOOKED') throw conflict('The member already has another first visit.');
      if (outcome !== 'HELD') throw noPlace();
      const booked = { locationId: slot.locationId, startsAt: slot.startsAt.toISOString() };
      if (!userId) return booked;
      const booking = await bookFirstVisit(services, call, { ...booked, userId });
      return { ...booked, bookingId: booking.id };
    },
    async undo(call) {
      await services.gym.call(asService(call, { method: 'DELETE', path: `/first-visits/${call.sagaId}` }));
    },
  });

/** The error if all places are taken, or if staff have cancelled the class session of that time. */
const noPlace = () =>
  conflict('The location has no place for a first visit at that time; choose another slot.');

/** Books the visit in the gym, where its staff see it. @throws CONFLICT if there is no place */
async function bookFirstVisit(
  services: OtherServices,
  call: ActionCall,
  body: { locationId: string; startsAt: string; userId: string },
): Promise<{ id: string }> {
  try {
    // A saga books one visit, so the saga's id is the id of the booking. If the answer was lost, a repetition finds the
    // booking.
    const request = { method: 'POST', path: '/first-visits', body: { ...body, id: call.sagaId } } as const;
    const booking = await services.gym.call(asService(call, request));
    return z.object({ id: z.string() }).parse(booking);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'SESSION_CLOSED') throw noPlace();
    throw error;
  }
}

const profileActions = (services: OtherServices): Record<'profile' | 'body' | 'goals', SagaAction> => ({
  profile: sagaAction<{ userId: string; displayName: string; timezone?: string }, Saved>({
    service: 'identity',
    run: (call) => saveProfile(services, call, call.input),
    async undo(call) {
      const { userId, ...written } = call.input;
      const { displayName, timezone } = remembered(call).profile;
      await restore(services, call, userId, (user) =>
        unchangedFields({ displayName, timezone }, written, user),
      );
    },
  }),
  body: sagaAction<{ userId: string } & z.infer<typeof BodyShape>, Saved>({
    service: 'identity',
    run: (call) => saveProfile(services, call, { userId: call.input.userId, body: bodyOf(call.input) }),
    async undo(call) {
      const before = bodyOf(remembered(call).profile.body ?? {});
      await restore(services, call, call.input.userId, (user) => {
        const body = unchangedFields(before, bodyOf(call.input), bodyOf(user.body ?? {}));
        return body && { body };
      });
    },
  }),
  goals: sagaAction<{ userId: string; goals: string[]; activity: string | null }, Saved>({
    service: 'identity',
    run: (call) => saveProfile(services, call, goalsOf(call.input)),
    async undo(call) {
      const trainingGoals = remembered(call).profile.trainingGoals ?? NO_GOALS;
      const { trainingGoals: written } = goalsOf(call.input);
      await restore(services, call, call.input.userId, (user) =>
        unchangedFields(
          { trainingGoals },
          { trainingGoals: written },
          { trainingGoals: user.trainingGoals ?? NO_GOALS },
        ),
      );
    },
  }),
});

/**
 * The previous values of the fields that still have the written value; undefined if there are none. What the member has changed
 * since then stays.
 */
function unchangedFields<Fields extends object>(
  before: Fields,
  written: { [Field in keyof Fields]?: unknown },
  now: { [Field in keyof Fields]?: unknown },
): Partial<Fields> | undefined {
  const fields = (Object.keys(before) as (keyof Fields)[]).filter(
    (field) => written[field] !== undefined && isDeepStrictEqual(now[field], written[field]),
  );
  if (fields.length === 0) return undefined;
  return Object.fromEntries(fields.map((field) => [field, before[field]])) as Partial<Fields>;
}

/** How often a profile is read again if it is changed between the reading and the writing. */
const RESTORE_ATTEMPTS = 5;

/**
 * Writes what `changeOf` returns for the present profile.
 * @param changeOf returns undefined if nothing is to be written
 */
async function restore(
  services: OtherServices,
  call: ActionCall,
  userId: string,
  changeOf: (user: z.infer<typeof UserAnswer>) => object | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const user = await readUser(services, call, userId);
    const change = changeOf(user);
    if (!change) return;
    try {
      const body = { userId, ...change, version: user.version };
      await services.identity.call(asService(call, { method: 'PUT', path: '/profile', body }));
      return;
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'VERSION_CONFLICT') throw error;
      // No refusal, after which the undoing would be given up: the saga tries again later.
      if (attempt === RESTORE_ATTEMPTS) throw unavailable('identity', false, error);
    }
  }
}

const nutritionAction = (services: OtherServices): SagaAction =>
  sagaAction<{ userId: string; calories: number }, Saved>({
    service: 'nutrition',
    async run(call) {
      const { today, profile } = remembered(call);
      const from = today ?? dayOf(new Date(), profile.timezone); // absent in sagas of an older version
      // A saga sets one goal, so the saga's id is the id of the change.
      const body = { ...call.input, from, changeId: call.sagaId };
      await services.nutrition.call(asService(call, { method: 'PUT', path: '/goals', body }));
      return SAVED;
    },
    async undo(call) {
      await services.nutrition.call(
        asService(call, { method: 'DELETE', path: `/goals/changes/${call.sagaId}` }),
      );
    },
  });

/** The output of an action that writes personal data. It contains none of the data: only the called service stores them. */
interface Saved {
  saved: true;
}
const SAVED: Saved = { saved: true };

const readUser = async (
  services: OtherServices,
  call: ActionCall,
  userId: string,
): Promise<z.infer<typeof UserAnswer>> =>
  UserAnswer.parse(
    await services.identity.call(asService(call, { method: 'GET', path: `/users/${userId}` })),
  );

async function saveProfile(services: OtherServices, call: ActionCall, body: object): Promise<Saved> {
  await services.identity.call(asService(call, { method: 'PUT', path: '/profile', body }));
  return SAVED;
}

/** All four keys: in a request, null removes a value that the member did not enter. */
const bodyOf = (given: Partial<z.infer<typeof BodyAnswer>>) => ({
  heightCm: given.heightCm ?? null,
  weightKg: given.weightKg ?? null,
  sex: given.sex ?? null,
  birthDate: given.birthDate ?? null,
});

const NO_GOALS: { goals: string[]; activity: string | null } = { goals: [], activity: null };

const goalsOf = ({
  userId,
  goals,
  activity,
}: {
  userId: string;
  goals: readonly string[];
  activity: string | null;
}) => ({ userId, trainingGoals: { goals, activity } });

interface Remembered {
  userId: string;
  /** The member's gym; null if they belong to none. Absent in sagas of an older version. */
  gymId?: string | null;
  /** The day of the deployment in the member's time zone. Absent in sagas of an older version. */
  today?: string;
  profile: Omit<z.infer<typeof UserAnswer>, 'gymId' | 'version'>;
}

const BodyAnswer = z.object({
  heightCm: z.number().nullable(),
  weightKg: z.number().nullable(),
  sex: z.string().nullable(),
  birthDate: z.string().nullable(),
});
const UserAnswer = z.object({
  version: z.int(),
  displayName: z.string(),
  timezone: z.string(),
  gymId: z.string().nullable(),
  body: BodyAnswer.nullish(),
  trainingGoals: z.object({ goals: z.array(z.string()), activity: z.string().nullable() }).nullish(),
});
const remembered = ({ outputs }: ActionCall): Remembered => outputs.remember as Remembered;

/** The ids in the result of a deployed onboarding. */
export function memberResult(outputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { userId, gymId = null } = outputs.remember as Remembered;
  return { userId, gymId, slot: outputs.slot ?? null };
}
