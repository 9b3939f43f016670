import { z } from 'zod';
import { Role } from '#server/auth/viewer.ts';
import { timezone } from '#server/shapes.ts';
import { Units } from './user.entity.ts';

/** Text that a person types; PostgreSQL stores no NUL, and a name has no control characters at all. */
const line = z
  .string()
  .trim()
  .regex(/^\P{Cc}*$/u, 'expected text without control characters');
const text = z
  .string()
  .trim()
  .regex(/^[^\0]*$/, 'expected text without NUL characters');

export const emailText = z.string().trim().max(254).pipe(z.email('expected an email address'));
/** 200 characters are enough for every password manager; more would only be work for argon2. */
export const newPassword = z
  .string()
  .min(8, 'expected at least 8 characters')
  .max(200, 'expected at most 200 characters');
export const PASSWORD_RULES =
  'At least 8 characters, not like the email, and not one of the most common passwords.';
/** One that may be wrong. */
export const anyPassword = z.string().max(1_000);

export const UserShape = z
  .object({
    id: z.uuid(),
    email: z
      .string()
      .optional()
      .meta({ description: 'Only for the user and the admins of the gym; of a SUPER_ADMIN for everybody.' }),
    displayName: z.string(),
    bio: z.string().nullable(),
    role: z.enum(Role),
    gymId: z.uuid().nullable(),
    qrCode: z.string().optional().meta({
      description: 'What the member shows to check in; only for the user and the admins of the gym.',
    }),
    avatar: z.string().nullable().meta({ description: 'Path of the picture at the server that you ask.' }),
    locale: z.string(),
    timezone: z.string(),
    units: z.enum(Units),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'User' });
export type UserShape = z.infer<typeof UserShape>;

export const RegisterShape = z.object({
  email: emailText,
  password: newPassword.meta({ description: PASSWORD_RULES }),
  displayName: line.min(1).max(80),
  gymId: z.uuid().nullish().meta({ description: 'The gym to join; later only an admin moves a user.' }),
});

/** What is absent, or null, stays; an empty bio is none. */
export const UpdateProfileShape = z.object({
  userId: z
    .uuid()
    .nullish()
    .meta({ description: 'For a service of the platform: whose. Users change their own.' }),
  displayName: line.min(1).max(80).nullish(),
  bio: text.max(2000).nullish(),
  locale: z.string().max(35).refine(isLocale, 'expected a BCP 47 language tag such as de-AT').nullish(),
  timezone: timezone.nullish(),
  units: z.enum(Units).nullish(),
});

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
