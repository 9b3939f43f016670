import { defineEntity, p } from '@mikro-orm/core';
import type { Role } from '#server/auth/viewer.ts';
import { uuidv7 } from '#server/ids.ts';
import type { Sex } from '#server/person-shapes.ts';
import { newQrCode } from './qr-code.ts';

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'user_account', // "user" is a reserved word in SQL
  indexes: [
    { properties: ['gymId', 'id'] }, // pages of a gym's users
    {
      name: 'user_account_super_admins',
      expression: `create index "user_account_super_admins" on "user_account" ("id") where "role" = 'SUPER_ADMIN'`,
    },
    // for files without an account
    {
      name: 'user_account_avatar',
      expression: `create index "user_account_avatar" on "user_account" ("avatar") where "avatar" is not null`,
    },
    // for open invitations, of one gym and of all
    {
      name: 'user_account_invited',
      expression: `create index "user_account_invited" on "user_account" ("gym_id", "id") where "password_hash" is null`,
    },
    {
      name: 'user_account_invited_anywhere',
      expression: `create index "user_account_invited_anywhere" on "user_account" ("id") where "password_hash" is null`,
    },
  ],
  uniques: [
    {
      name: 'user_account_email_any_case',
      expression: 'create unique index "user_account_email_any_case" on "user_account" (lower("email"))',
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    /** As the user wrote it; unique without regard to case. Its shape allows ASCII only, so that lower() is the same in PostgreSQL and in JavaScript. */
    email: p.string().length(254),
    /** argon2id; null until an invited user has set a password. Not loaded with the other columns. */
    passwordHash: p.text().nullable().lazy().hidden(),
    displayName: p.string().length(80),
    bio: p.string().length(2000).nullable(),
    role: p.string().length(16).$type<Role>(),
    gymId: p.uuid().nullable(),
    qrCode: p
      .string()
      .length(40)
      .unique()
      .onCreate(() => newQrCode()),
    avatar: p.string().length(100).nullable(),
    locale: p.string().length(35).default('en'),
    timezone: p.string().length(64).default('UTC'),
    units: p.string().length(8).$type<Units>().default('METRIC'),
    /** Visible only to the user. */
    body: p.json<Body>().nullable(),
    /** Visible only to the user. */
    trainingGoals: p.json<TrainingGoals>().nullable(),
    /** Increases with every change. */
    version: p.integer().default(1),
    /** When the role or the gym last changed. Older access tokens are refused. */
    rightsChangedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
});

export const Units = { METRIC: 'METRIC', IMPERIAL: 'IMPERIAL' } as const;
export type Units = (typeof Units)[keyof typeof Units];

/** A value is null if the user has not given it. */
export interface Body {
  heightCm: number | null;
  weightKg: number | null;
  sex: Sex | null;
  /** YYYY-MM-DD */
  birthDate: string | null;
}

export interface TrainingGoals {
  goals: string[];
  activity: string | null;
}

export class User extends UserSchema.class {}
UserSchema.setClass(User);
