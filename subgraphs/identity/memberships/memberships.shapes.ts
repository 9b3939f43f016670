import { z } from 'zod';
import { Role } from '#server/auth/viewer.ts';
import { instant, uuid, visibleText } from '#server/shapes.ts';
import { MembershipStatus } from './membership-status.ts';

export const MembershipShape = z
  .object({
    gymId: uuid(),
    status: z.enum(MembershipStatus),
    since: z.iso.datetime(),
    until: z.iso.datetime().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Membership' });
export type MembershipShape = z.infer<typeof MembershipShape>;

/** The maximum number of users in one request of a service. */
export const MAX_USERS_PER_REQUEST = 100;

export const MembershipsQuery = z.object({
  userIds: z
    .string()
    .max(MAX_USERS_PER_REQUEST * 37) // an id has 36 characters, and a comma follows
    .transform((text) => text.split(','))
    .pipe(z.array(uuid()).max(MAX_USERS_PER_REQUEST))
    .meta({ description: `At most ${MAX_USERS_PER_REQUEST} ids, separated by commas.` }),
});

export const MemberStateShape = z
  .object({
    userId: uuid().meta({ description: "The user's id." }),
    role: z.enum(Role).meta({ description: 'What the user may do on the platform.' }),
    suspended: z.boolean().meta({ description: 'Whether the account is suspended.' }),
    membership: MembershipShape.nullable().meta({
      description: "The user's membership at this moment; null if they never had one.",
    }),
  })
  .meta({ id: 'MemberState' });
export type MemberStateShape = z.infer<typeof MemberStateShape>;

export const SetMembershipShape = z
  .object({
    status: z.enum(
      [MembershipStatus.ACTIVE, MembershipStatus.FROZEN, MembershipStatus.ENDED],
      'expected ACTIVE, FROZEN or ENDED',
    ),
    until: instant.nullish(),
    reason: visibleText(500).nullish(),
  })
  .meta({ graphType: 'SetMembershipInput' });
