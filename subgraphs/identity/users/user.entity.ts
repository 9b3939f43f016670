import { defineEntity, p } from '@mikro-orm/core';
import type { Role } from '#server/auth/viewer.ts';
import { uuidv7 } from '#server/ids.ts';
import type { Sex } from '#server/person-shapes.ts';
import {
  MEMBERSHIP_CHECK,
  type MembershipAwaits,
  type MembershipStatus,
} from '../memberships/membership-status.ts';
import { newQrCode } from './qr-code.ts';

/** SQL: a text in lower case and without accents. */
export const withoutAccents = (sql: string): string =>
  `(lower(regexp_replace(normalize(${sql}, nfkd), '[\\u0300-\\u036f]', '', 'g')))`;
/** SQL: the name and the email of a user, converted in the same way as the text that is searched for. */
export const SEARCHED_TEXT = withoutAccents(`(display_name || ' ' || email)::text`);

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'user_account', // "user" is a reserved word in SQL
  indexes: [
    { properties: ['gymId', 'id'] }, // the GYM_ADMINs of a gym
    { properties: ['membershipGymId', 'id'] }, // pages of a gym's users, and the users of a gym that is removed
    { properties: ['membershipGymId', 'membershipStatus', 'id'] },
    // for lists by status over all gyms; without the ACTIVE users, who are so many that the primary key finds a page of them
    {
      name: 'user_account_not_active',
      expression: `create index "user_account_not_active" on "user_account" ("membership_status", "id") where "membership_status" <> 'ACTIVE'`,
    },
    {
      name: 'user_account_search',
      expression: `create index "user_account_search" on "user_account" using gin (${SEARCHED_TEXT} gin_trgm_ops)`,
    },
    {
      name: 'user_account_super_admins',
      expression: `create index "user_account_super_admins" on "user_account" ("id") where "role" = 'SUPER_ADMIN'`,
    },
    // to find avatar files that no account uses
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
  checks: [{ name: 'user_account_membership_check', expression: MEMBERSHIP_CHECK }],
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
    /**
     * As the user wrote it; unique without regard to case. Its shape allows ASCII only, so that lower() is the same in
     * PostgreSQL and in JavaScript.
     */
    email: p.string().length(254),
    /** argon2id; null until an invited user has set a password. Not loaded with the other columns. */
    passwordHash: p.text().nullable().lazy().hidden(),
    displayName: p.string().length(80),
    bio: p.string().length(2000).nullable(),
    role: p.string().length(16).$type<Role>(),
    /** The gym of the membership while it is ACTIVE or FROZEN, else null. `columnsOfMembership` computes it. */
    gymId: p.uuid().nullable(),
    /** The gym of the latest membership; null if there never was one. */
    membershipGymId: p.uuid().nullable(),
    membershipStatus: p.string().length(8).$type<MembershipStatus>().nullable(),
    /** When the membership got this status. */
    membershipSince: p.datetime().nullable(),
    /** When an ACTIVE membership ends, or a FROZEN one becomes ACTIVE again; null if no such date is set. */
    membershipUntil: p.datetime().nullable(),
    /** Why staff changed the membership, in their words. `mayReadMembershipReason` says who may read it. */
    membershipReason: p.string().length(500).nullable(),
    /** What a PENDING membership waits for. */
    membershipAwaits: p.string().length(8).$type<MembershipAwaits>().nullable(),
    /** When the user proved that they read the mails to `email`. */
    emailVerifiedAt: p.datetime().nullable(),
    /** When a SUPER_ADMIN suspended the account: nobody can log in to it. */
    suspendedAt: p.datetime().nullable(),
    suspensionReason: p.string().length(500).nullable(),
    qrCode: p
      .string()
      .length(40)
      .unique()
      .onCreate(() => newQrCode()),
    avatar: p.string().length(100).nullable(),
    locale: p.string().length(35).default('en'),
    timezone: p.string().length(64).default('UTC'),
    units: p.string().length(8).$type<Units>().default('METRIC'),
    /** Only for the user and the wizard service (`mayReadBody`). */
    body: p.json<Body>().nullable(),
    /** Only for the user and the wizard service (`mayReadBody`). */
    trainingGoals: p.json<TrainingGoals>().nullable(),
    /** Increases by 1 with every change. */
    version: p.integer().default(1),
    /** When the role last changed, or the user last left a gym. Older access tokens are refused. */
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
