import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { MembershipShape } from '../members/member-states.ts';
import { CheckInMethod } from './check-in.entity.ts';

export const CheckInShape = z
  .object({
    id: uuid(),
    userId: uuid().nullable(),
    gymId: uuid(),
    locationId: uuid(),
    checkedInAt: z.iso.datetime(),
    checkedOutAt: z.iso.datetime().nullable(),
    source: z.string().nullable(),
    method: z.enum(CheckInMethod),
    duplicate: z.boolean(),
  })
  .meta({ id: 'CheckIn' });
export type CheckInShape = z.infer<typeof CheckInShape>;

/** What a caller who presents a member's code may see of the member. */
export const MemberToAdmitShape = z
  .object({
    id: uuid().meta({ description: "The member's id." }),
    displayName: z.string().meta({ description: 'The name that other users see.' }),
    avatar: z.string().nullable().meta({
      description: 'Path of the picture at the gateway, `/identity/avatars/<file>`; null if there is none.',
    }),
    membership: MembershipShape.nullable().meta({
      description:
        "The member's membership; null for staff without one. Its `reason` is shown to staff only.",
    }),
  })
  .meta({ id: 'MemberAtTheDoor' });
export type MemberToAdmitShape = z.infer<typeof MemberToAdmitShape>;

export const CheckedInShape = CheckInShape.extend({
  member: MemberToAdmitShape.optional().meta({
    description: 'Only for staff and machine clients: the member who was checked in.',
  }),
}).meta({ id: 'CheckedIn', graphType: 'CheckIn' });
export type CheckedInShape = z.infer<typeof CheckedInShape>;

const MAX_CODE_CHARACTERS = 1_024;

export const CheckInInput = z
  .object({
    qrCode: z.string().min(1).max(MAX_CODE_CHARACTERS),
    locationId: uuid(),
    source: z.string().min(1).max(32).nullish(),
    override: z.boolean().nullish(),
  })
  .meta({ graphType: 'CheckInInput' });

export const CheckOutInput = z
  .object({
    qrCode: z.string().min(1).max(MAX_CODE_CHARACTERS).nullish(),
    userId: uuid().nullish(),
    locationId: uuid().nullish(),
  })
  .meta({ graphType: 'CheckOutInput' });

export const PersonInsideShape = z
  .object({
    user: MemberToAdmitShape.omit({ membership: true })
      .meta({ id: 'PersonAtTheDoor' })
      .meta({ description: 'The member.' }),
    membership: MemberToAdmitShape.shape.membership,
    visit: CheckInShape.meta({ description: 'Their open visit.' }),
  })
  .meta({ id: 'PersonInside' });
export type PersonInsideShape = z.infer<typeof PersonInsideShape>;

export const DenialShape = z
  .object({
    id: uuid(),
    locationId: uuid(),
    userId: uuid().nullable(),
    reason: z.string(),
    presentedBy: uuid().nullable(),
    deniedAt: z.iso.datetime(),
    count: z.int(),
  })
  .meta({ id: 'CheckInDenial' });
export type DenialShape = z.infer<typeof DenialShape>;
