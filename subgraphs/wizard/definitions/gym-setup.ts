import { z } from 'zod';
import { assetsShape, themeShape } from '#server/branding.ts';
import { featureSwitches, gymName, gymSlug, joinPolicy } from '#server/gym-shapes.ts';
import { displayName } from '#server/person-shapes.ts';
import { openingHours } from '#server/opening-hours.ts';
import { timezone, visibleText } from '#server/shapes.ts';
import { DOCUMENT, type WizardDefinition } from './definition.ts';

const picture = (name: string) =>
  ({ path: `assets.${name}`, takes: 'picture', isPublicOnceDeployed: true }) as const;

export const BasicsShape = z.object({
  name: gymName,
  slug: gymSlug,
  timezone,
  joinPolicy: joinPolicy.optional(),
  // false: a SUPER_ADMIN manages the gym for now, and the step `admin` is skipped
  inviteAdmin: z.boolean().optional(),
});

/**
 * The shape is that of the gym service, so that the service does not refuse the deployment. Here the primary colour is
 * required, too.
 */
export const BrandingShape = z.object({
  theme: themeShape.refine(({ colors }) => colors?.primary !== undefined, {
    path: ['colors', 'primary'],
    message: 'expected a colour such as #1a2b3c',
  }),
  assets: assetsShape.optional(),
});

export const LocationsShape = z.object({
  locations: z
    .array(
      z.object({
        name: visibleText(120),
        capacity: z.int().min(1).max(100_000),
        address: z.string().trim().max(300).optional(),
        timezone: timezone.optional(),
        openingHours: openingHours.optional(),
      }),
    )
    .min(1, 'expected at least one location')
    .max(50),
});

export const FeaturesShape = z.object({ features: featureSwitches });

export const AdminShape = z.object({
  email: z.string().trim().max(254).pipe(z.email('expected an email address')),
  displayName,
});

/** The steps have the same rules as the gym and identity services, so that users see errors before the deployment. */
export const gymSetup: WizardDefinition = {
  kind: 'GYM_SETUP',
  version: 1,
  reserves: ['gym-name', 'gym-slug', 'slot', 'email'],
  steps: [
    {
      key: 'basics',
      title: 'Name and address',
      shape: BasicsShape,
      files: DOCUMENT,
    },
    {
      key: 'branding',
      title: 'Colours and pictures',
      shape: BrandingShape,
      files: { logo: picture('logo'), splash: picture('splash'), icon: picture('icon'), ...DOCUMENT },
    },
    {
      key: 'locations',
      title: 'Locations',
      shape: LocationsShape,
      files: DOCUMENT,
    },
    {
      key: 'features',
      title: 'Modules',
      shape: FeaturesShape,
    },
    {
      key: 'admin',
      title: 'First admin',
      skipIf: { step: 'basics', field: 'inviteAdmin', is: false },
      shape: AdminShape,
    },
    {
      key: 'review',
      title: 'Review',
      shape: z.object({ confirmed: z.literal(true, 'expected true, to confirm') }),
      files: DOCUMENT,
    },
  ],
};
