import { z } from 'zod';
import { Role } from '#server/auth/viewer.ts';
import {
  activity,
  birthDate,
  displayName,
  heightCm,
  sex,
  trainingGoals,
  weightKg,
} from '#server/person-shapes.ts';
import { searchText, timezone, uuid, versionNumber, visibleText } from '#server/shapes.ts';
import { MembershipStatus } from '../memberships/membership-status.ts';
import { MembershipShape } from '../memberships/memberships.shapes.ts';
import { Units } from './user.entity.ts';

const MAX_BIO_CHARACTERS = 2_000;
const visibleBio = visibleText(MAX_BIO_CHARACTERS);
/** An empty text removes the stored bio. PostgreSQL cannot store NUL characters. */
const bio = z
  .string()
  .trim()
  .max(MAX_BIO_CHARACTERS)
  .regex(/^[^\0]*$/, 'expected text without NUL characters')
  .refine(
    (text) => text === '' || visibleBio.safeParse(text).success,
    'expected visible text without unpaired UTF-16 surrogates and without control characters that change the direction of writing',
  );

export const emailText = z.string().trim().max(254).pipe(z.email('expected an email address'));
/** 200 characters are enough for every password manager; a longer password would only cost argon2 time. */
export const newPassword = z
  .string()
  .min(8, 'expected at least 8 characters')
  .max(200, 'expected at most 200 characters');
/** A password to check, which may be wrong. */
export const anyPassword = z.string().max(1_000);

export const UserShape = z
  .object({
    id: uuid(),
    email: z.string().optional(),
    displayName: z.string(),
    bio: z.string().nullable(),
    role: z.enum(Role),
    gymId: uuid().nullable(),
    membership: MembershipShape.nullable().optional(),
    emailVerified: z.boolean().optional(),
    suspension: z
      .object({ since: z.iso.datetime(), reason: z.string().nullable() })
      .nullable()
      .optional()
      .meta({
        description: 'Only for admins: since when the account is suspended, and why; null if it is not.',
      }),
    qrCode: z.string().optional(),
    avatar: z.string().nullable(),
    locale: z.string(),
    timezone: z.string(),
    units: z.enum(Units),
    body: z
      .object({
        heightCm: z.number().nullable(),
        weightKg: z.number().nullable(),
        sex: sex.nullable(),
        birthDate: z.iso.date().nullable(),
      })
      .nullable()
      .optional(),
    trainingGoals: z
      .object({ goals: z.array(z.string()), activity: z.string().nullable() })
      .nullable()
      .optional(),
    version: z.int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'User' });
export type UserShape = z.infer<typeof UserShape>;

export const RegisterShape = z
  .object({
    email: emailText,
    password: newPassword,
    displayName,
    gymId: uuid().nullish(),
  })
  .meta({ graphType: 'RegisterInput' });

/** `Profiles.update` says what absent, null and empty values mean. */
export const UpdateProfileShape = z
  .object({
    userId: uuid().nullish().meta({
      description:
        'Only for a service of the platform: the user whose profile it changes. Users change only their own profile.',
    }),
    displayName: displayName.nullish(),
    bio: bio.nullish(),
    locale: z.string().max(35).refine(isLocale, 'expected a BCP 47 language tag such as de-AT').nullish(),
    timezone: timezone.nullish(),
    units: z.enum(Units).nullish(),
    body: z
      .object({
        heightCm: heightCm.nullish(),
        weightKg: weightKg.nullish(),
        sex: sex.nullish(),
        birthDate: birthDate.nullish(),
      })
      .nullish(),
    trainingGoals: z.object({ goals: trainingGoals, activity: activity.nullish() }).nullish(),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateProfileInput' });
export type UpdateProfileShape = z.infer<typeof UpdateProfileShape>;

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** The filters of the list of users. */
export const UsersFilter = z.object({
  gymId: uuid('expected the id of a gym').nullish(),
  search: searchText.nullish(),
  status: z.enum(MembershipStatus).nullish(),
});
export type UsersFilter = z.infer<typeof UsersFilter>;
