import { z } from 'zod';
import { conflict, forbidden } from '#server/errors.ts';
import { sagaAction, type ActionCall, type PlannedAction, type SagaAction } from '#server/saga/saga.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { CANDIDATES } from '../availability/candidates.ts';
import { SLOT_MILLIS, slotOf, writeSlot } from '../availability/slots.ts';
import type { StepData } from '../definitions/definition.ts';
import { GoalsShape, NutritionShape, ProfileShape, SlotShape } from '../definitions/member-onboarding.ts';
import { lookups, type OtherServices } from '../other-services.ts';
import type { WizardStorage } from '../storage.ts';
import { asService, contextOf, originOf } from './deployment-context.ts';

/** The first visit (which alone can be refused) before anything of the member's is changed. */
export function memberPlan(userId: string, gymId: string | null, data: StepData): PlannedAction[] {
  const goals = GoalsShape.parse(data.goals);
  const slot = goals.firstVisit === false ? undefined : SlotShape.parse(data.slot);
  const nutrition = goals.nutritionTarget === false ? undefined : NutritionShape.parse(data.nutrition);
  return [
    { name: 'remember', input: { userId } },
    ...(slot ? [{ name: 'slot', input: { ...slot, gymId } }] : []),
    { name: 'profile', input: { userId, ...ProfileShape.parse(data.profile) } },
    ...(nutrition ? [{ name: 'nutrition', input: { userId, ...nutrition } }] : []),
    { name: 'body', action: 'keep' },
    { name: 'goals', action: 'keep' },
  ];
}

/** The code of these actions, by the names that are in stored plans: a released name stays. */
export const memberActions = (
  services: OtherServices,
  storage: WizardStorage,
  unitOf: () => UnitOfWork,
): Record<string, SagaAction> => ({
  /** What is there before, so that it can be put back. */
  remember: sagaAction<{ userId: string }, Remembered>({
    service: 'identity',
    async run(call) {
      const { userId } = call.input;
      const user = await services.identity.call(asService(call, { method: 'GET', path: `/users/${userId}` }));
      const path = `/goals?userId=${userId}`;
      const goals = await services.nutrition.call(asService(call, { method: 'GET', path }));
      const byDefault = GoalsAnswer.parse(goals).find(
        ({ weekday, date }) => weekday === null && date === null,
      );
      return { userId, profile: UserAnswer.parse(user), goal: byDefault ?? null };
    },
  }),
  slot: sagaAction<
    { locationId: string; startsAt: string; gymId: string | null },
    { locationId: string; startsAt: string }
  >({
    service: 'gym',
    async run(call) {
      const { gymId, ...wanted } = call.input;
      const slot = slotOf(wanted.locationId, new Date(wanted.startsAt));
      const look = lookups(services, originOf(call));
      const { reason, places, value } = await CANDIDATES.slot(writeSlot(slot), look);
      if (reason) throw conflict(`The first visit cannot be at that time: ${reason}. Choose another slot.`);
      if ((await look.location(slot.locationId))?.gymId !== gymId)
        throw forbidden('The first visit must be at a location of your own gym; choose another slot.');
      const isHeld = await storage.reservations(unitOf()).reserve({
        resource: 'slot',
        value,
        sessionId: contextOf(call).sessionId,
        places,
        until: new Date(slot.startsAt.getTime() + SLOT_MILLIS),
      });
      if (!isHeld)
        throw conflict('As many as the location takes come at that time already; choose another slot.');
      return { locationId: slot.locationId, startsAt: slot.startsAt.toISOString() };
    },
  }),
  profile: sagaAction<{ userId: string; displayName: string; timezone?: string }, { displayName: string }>({
    service: 'identity',
    async run(call) {
      await services.identity.call(asService(call, { method: 'PUT', path: '/profile', body: call.input }));
      return { displayName: call.input.displayName };
    },
    async undo(call) {
      const body = { userId: call.input.userId, ...remembered(call).profile };
      await services.identity.call(asService(call, { method: 'PUT', path: '/profile', body }));
    },
  }),
  nutrition: sagaAction<{ userId: string; calories: number }, { calories: number }>({
    service: 'nutrition',
    async run(call) {
      await services.nutrition.call(asService(call, { method: 'PUT', path: '/goals', body: call.input }));
      return { calories: call.input.calories };
    },
    async undo(call) {
      const { userId } = call.input;
      const { goal } = remembered(call);
      await services.nutrition.call(
        asService(
          call,
          goal
            ? { method: 'PUT', path: '/goals', body: { userId, ...goal } }
            : { method: 'DELETE', path: `/goals?userId=${userId}` },
        ),
      );
    },
  }),
  /** No service has a place for it: it stays in the session, and says so. */
  keep: sagaAction<null, { keptIn: string }>({
    service: 'wizard',
    run: async () => ({ keptIn: 'wizard session' }),
  }),
});

interface Remembered {
  userId: string;
  profile: z.infer<typeof UserAnswer>;
  goal: z.infer<typeof GoalsAnswer>[number] | null;
}

const UserAnswer = z.object({ displayName: z.string(), timezone: z.string() });
const GoalsAnswer = z.array(
  z.object({
    calories: z.number(),
    protein: z.number().nullable(),
    carbs: z.number().nullable(),
    fats: z.number().nullable(),
    weekday: z.number().nullable(),
    date: z.string().nullable(),
  }),
);

const remembered = ({ outputs }: ActionCall): Remembered => outputs.remember as Remembered;

/** What a member has now. */
export const memberResult = (outputs: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  userId: (outputs.remember as Remembered).userId,
  slot: outputs.slot ?? null,
});
