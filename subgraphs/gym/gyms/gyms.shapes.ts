import { z } from 'zod';
import { assetsShape, themeShape } from '#server/branding.ts';
import { featureSwitches, gymName, gymSlug, joinPolicy } from '#server/gym-shapes.ts';
import { idOrName, timezone, uuid, versionNumber } from '#server/shapes.ts';

/** Known keys are checked, other keys are kept; see `themeShape` and `assetsShape` for the allowed values. */
const ThemeShape = themeShape;
const AssetsShape = assetsShape;
export const FeaturesShape = featureSwitches;

export const GymConfigShape = z
  .object({
    gymId: z.string(),
    theme: ThemeShape,
    assets: AssetsShape,
    features: FeaturesShape,
    version: z.number().int(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'GymConfig' });
export type GymConfigShape = z.infer<typeof GymConfigShape>;

export const GymShape = z
  .object({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    timezone: z.string(),
    joinPolicy,
    active: z.boolean(),
    version: z.int(),
    config: GymConfigShape,
  })
  .meta({ id: 'Gym' });
export type GymShape = z.infer<typeof GymShape>;

/** The three groups of a configuration, each complete. */
export const GroupsShape = z.object({ theme: ThemeShape, assets: AssetsShape, features: FeaturesShape });
export type Groups = z.infer<typeof GroupsShape>;

const patch = z.record(z.string(), z.unknown(), 'expected an object').nullish();
/** JSON Merge Patches (RFC 7396) of the groups; the merged groups are checked against `GroupsShape`. */
const patches = { theme: patch, assets: patch, features: patch };
export type GroupPatches = { [Group in keyof typeof patches]?: z.infer<typeof patch> };

export const UpdateGymConfigShape = z
  .object({
    gymId: idOrName().max(64),
    ...patches,
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateGymConfigInput' });

export const DraftInput = z
  .object({ ...patches, version: versionNumber.nullish() })
  .meta({ graphType: 'SaveGymConfigDraftInput' });

export const DraftShape = z
  .object({
    gymId: z.string(),
    theme: ThemeShape,
    assets: AssetsShape,
    features: FeaturesShape,
    basedOnVersion: z.int(),
    version: z.int(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'GymConfigDraft' });
export type DraftShape = z.infer<typeof DraftShape>;

export const RollbackInput = z
  .object({ version: versionNumber })
  .meta({ graphType: 'RollbackGymConfigInput' });

export const CreateGymInput = z
  .object({
    id: uuid().nullish().meta({
      description:
        'Only for a service of the platform, which chooses the id so that a repeated request creates no second gym.',
    }),
    opened: z.boolean().nullish().meta({
      description:
        'Only for a service of the platform: with false, only that service can see and use the gym until it is opened. Default true.',
    }),
    name: gymName,
    slug: gymSlug,
    timezone: timezone.nullish(),
    joinPolicy: joinPolicy.nullish(),
    theme: ThemeShape.nullish(),
    assets: AssetsShape.nullish(),
    features: FeaturesShape.nullish(),
  })
  .meta({ graphType: 'CreateGymInput' });

/** Fields that are absent or null are unchanged. */
export const UpdateGymInput = z
  .object({
    name: gymName.nullish(),
    timezone: timezone.nullish(),
    joinPolicy: joinPolicy.nullish(),
    active: z.boolean('expected true or false').nullish(),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateGymInput' });

/** The rule checks the filter, because the graph may send any text. */
export const GymsFilter = z.object({
  name: z.string().max(120, 'expected at most 120 characters').nullish(),
  active: z.boolean().nullish(),
});
