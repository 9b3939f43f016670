import { z } from 'zod';
import { conflict, PlatformError } from '#server/errors.ts';
import type { JoinPolicy } from '#server/gym-shapes.ts';
import { uuidv7 } from '#server/ids.ts';
import { sagaAction, type PlannedAction, type SagaAction } from '#server/saga/saga.ts';
import type { StepData } from '../definitions/definition.ts';
import {
  AdminShape,
  BasicsShape,
  BrandingShape,
  FeaturesShape,
  LocationsShape,
} from '../definitions/gym-setup.ts';
import { canonicalEmail, canonicalName, type Resource } from '../availability/resources.ts';
import type { OtherServices } from '../other-services.ts';
import { asService } from './deployment-context.ts';

/** The values that a gym's deployment must reserve before it begins. */
export function gymResources(data: StepData): { resource: Resource; value: string; path: string }[] {
  const { name, slug, inviteAdmin } = BasicsShape.parse(data.basics);
  return [
    { resource: 'gym-name', value: canonicalName(name), path: 'basics.name' },
    { resource: 'gym-slug', value: slug, path: 'basics.slug' },
    ...(inviteAdmin === false
      ? []
      : [
          {
            resource: 'email' as const,
            value: canonicalEmail(AdminShape.parse(data.admin).email),
            path: 'admin.email',
          },
        ]),
  ];
}

/**
 * The plan that creates the gym, its configuration, each location and the first admin's invitation. All ids are chosen here,
 * so that an action can be undone even if its answer was lost. Nobody can see the gym until the last action opens it, and an
 * unused gym can be withdrawn.
 */
export function gymPlan(data: StepData): PlannedAction[] {
  const gymId = uuidv7();
  const { name, slug, timezone, joinPolicy, inviteAdmin } = BasicsShape.parse(data.basics);
  const { theme, assets } = BrandingShape.parse(data.branding);
  const { features } = FeaturesShape.parse(data.features);
  const { locations } = LocationsShape.parse(data.locations);
  return [
    { name: 'gym', input: { id: gymId, name, slug, timezone, joinPolicy, opened: false } },
    { name: 'config', input: { gymId, theme, assets: assets ?? {}, features } },
    ...locations.map((location, index) => ({
      name: `location-${index + 1}`,
      action: 'location',
      input: { id: uuidv7(), gymId, timezone, ...location },
    })),
    ...(inviteAdmin === false
      ? []
      : [
          {
            name: 'admin',
            input: { id: uuidv7(), gymId, role: 'GYM_ADMIN', ...AdminShape.parse(data.admin) },
          },
        ]),
    { name: 'open', input: { gymId } },
  ];
}

/** The code of each action. Stored plans contain the names, so a released name must stay. */
export const gymActions = ({ gym, identity }: OtherServices): Record<string, SagaAction> => ({
  gym: sagaAction<
    { id: string; name: string; slug: string; timezone?: string; joinPolicy?: JoinPolicy | undefined },
    { gymId: string; slug: string }
  >({
    service: 'gym',
    async run(call) {
      const { id, name, slug } = call.input;
      // The wizard has reserved the name for this session, but a gym of that name may have been created without the wizard.
      const path = `/gyms?name=${encodeURIComponent(name)}`;
      const namesakes = NamesakesAnswer.parse(await gym.call(asService(call, { method: 'GET', path })));
      if (namesakes.some((other) => other.id !== id))
        throw conflict(`A gym with the name "${name}" exists already; choose another.`);
      await gym.call(asService(call, { method: 'POST', path: '/gyms', body: call.input }));
      return { gymId: id, slug };
    },
    async undo(call) {
      await gym.call(asService(call, { method: 'DELETE', path: `/gyms/${call.input.id}` }));
    },
  }),
  // Withdrawing the gym undoes configuration, locations and opening, too.
  config: sagaAction<{ gymId: string }, { version: number }>({
    service: 'gym',
    async run(call) {
      const request = { method: 'PUT', path: '/gym/config', body: { ...call.input, version: 1 } } as const;
      try {
        return VersionAnswer.parse(await gym.call(asService(call, request)));
      } catch (error) {
        if (!(error instanceof PlatformError) || error.code !== 'VERSION_CONFLICT') throw error;
        // An earlier attempt succeeded, and only its answer was lost.
        const path = `/gym/config/${call.input.gymId}`;
        return VersionAnswer.parse(await gym.call(asService(call, { method: 'GET', path })));
      }
    },
  }),
  location: sagaAction<{ id: string; name: string }, { locationId: string; name: string }>({
    service: 'gym',
    async run(call) {
      await gym.call(asService(call, { method: 'POST', path: '/locations', body: call.input }));
      return { locationId: call.input.id, name: call.input.name };
    },
  }),
  admin: sagaAction<{ id: string }, { adminId: string }>({
    service: 'identity',
    async run(call) {
      await identity.call(asService(call, { method: 'POST', path: '/invitations', body: call.input }));
      return { adminId: call.input.id };
    },
    async undo(call) {
      await identity.call(asService(call, { method: 'DELETE', path: `/invitations/${call.input.id}` }));
    },
  }),
  open: sagaAction<{ gymId: string }, { opened: true }>({
    service: 'gym',
    async run(call) {
      await gym.call(asService(call, { method: 'POST', path: `/gyms/${call.input.gymId}/open` }));
      return { opened: true };
    },
  }),
});

const NamesakesAnswer = z.array(z.object({ id: z.string() }));
const VersionAnswer = z.object({ version: z.int() });

/** The ids of a deployed gym and its parts. */
export function gymResult(outputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const all = Object.values(outputs) as Partial<Record<'locationId', string>>[];
  return {
    ...(outputs.gym as object),
    locationIds: all.flatMap(({ locationId }) => locationId ?? []),
    adminId: (outputs.admin as { adminId: string } | undefined)?.adminId ?? null,
  };
}
