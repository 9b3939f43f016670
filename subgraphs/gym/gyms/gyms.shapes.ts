import { z } from 'zod';
import { versionNumber, visibleText } from '#server/shapes.ts';

/** An address that a browser may load; nothing that runs. */
const assetUrl = z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' });
const colour = z
  .string()
  .regex(/^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i, 'expected a colour such as #1a2b3c');

/** Known keys are checked, further keys are kept as they are. */
export const ThemeShape = z.looseObject({
  colors: z
    .looseObject({
      primary: colour.optional(),
      secondary: colour.optional(),
      background: colour.optional(),
      text: colour.optional(),
    })
    .optional(),
  typography: z
    .looseObject({
      fontFamily: z.string().min(1).max(200).optional(),
      baseSize: z.number().min(8).max(40).optional(),
    })
    .optional(),
  spacing: z.looseObject({ unit: z.number().min(1).max(64).optional() }).optional(),
});
export const AssetsShape = z.looseObject({
  logo: assetUrl.optional(),
  splash: assetUrl.optional(),
  icon: assetUrl.optional(),
});
export const FeaturesShape = z.record(
  z.string().regex(/^[a-z][\w-]{0,40}$/, 'expected a module name such as nutrition'),
  z.boolean('expected true or false'),
);

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
  .object({ id: z.string(), slug: z.string(), name: z.string(), config: GymConfigShape })
  .meta({ id: 'Gym' });
export type GymShape = z.infer<typeof GymShape>;

/** The three groups of a configuration, whole. */
export const GroupsShape = z.object({ theme: ThemeShape, assets: AssetsShape, features: FeaturesShape });
export type Groups = z.infer<typeof GroupsShape>;

const MERGES =
  'A JSON Merge Patch (RFC 7396): a key that is given replaces that key, null removes it, what is absent stays.';
const patch = z.record(z.string(), z.unknown(), 'expected an object').nullish().meta({ description: MERGES });
/** Changes of the groups; the merged groups are checked against `GroupsShape`. */
const patches = { theme: patch, assets: patch, features: patch };
export type GroupPatches = { [Group in keyof typeof patches]?: z.infer<typeof patch> };

export const UpdateGymConfigShape = z.object({
  gymId: z.string().max(64),
  ...patches,
  version: versionNumber.nullish(),
});

export const DraftInput = z.object(patches);

export const DraftShape = z
  .object({
    gymId: z.string(),
    theme: ThemeShape,
    assets: AssetsShape,
    features: FeaturesShape,
    basedOnVersion: z.int().meta({ description: 'The published version that the draft was begun on.' }),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'GymConfigDraft' });
export type DraftShape = z.infer<typeof DraftShape>;

export const RollbackInput = z.object({ version: versionNumber });

export const CreateGymInput = z.object({
  id: z.uuid().nullish().meta({
    description:
      'For a service of the platform, which chooses the id: a repeated creation is then the same gym.',
  }),
  opened: z.boolean().nullish().meta({
    description:
      'For a service of the platform: false makes a gym that nobody else sees or enters until it is opened. Default true.',
  }),
  name: visibleText(120, 2),
  slug: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, 'expected 3 to 63 lower-case letters, digits and hyphens'),
  theme: ThemeShape.nullish(),
  assets: AssetsShape.nullish(),
  features: FeaturesShape.nullish(),
});
