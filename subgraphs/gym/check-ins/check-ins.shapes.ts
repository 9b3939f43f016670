import { z } from 'zod';
import { CheckInMethod } from './check-in.entity.ts';

export const CheckInShape = z
  .object({
    id: z.uuid(),
    userId: z.uuid().nullable().meta({ description: 'Null once the account is deleted.' }),
    gymId: z.uuid(),
    locationId: z.uuid(),
    checkedInAt: z.iso.datetime(),
    checkedOutAt: z.iso.datetime().nullable().meta({ description: 'Null while the visit is open.' }),
    source: z.string().nullable(),
    method: z.enum(CheckInMethod),
    duplicate: z.boolean().meta({ description: 'Whether the visit was already open before this scan.' }),
  })
  .meta({ id: 'CheckIn' });
export type CheckInShape = z.infer<typeof CheckInShape>;

/** What a caller who presents a member's code may see of the member. */
export const MemberAtTheDoorShape = z
  .object({
    id: z.uuid().meta({ description: "The member's id." }),
    displayName: z.string().meta({ description: 'The name that other users see.' }),
    avatar: z.string().nullable().meta({
      description: 'Path of the picture at the gateway, `/identity/avatars/<file>`; null if there is none.',
    }),
  })
  .meta({ id: 'MemberAtTheDoor' });
export type MemberAtTheDoorShape = z.infer<typeof MemberAtTheDoorShape>;

export const CheckedInShape = CheckInShape.extend({
  member: MemberAtTheDoorShape.optional().meta({
    description: 'Only for staff and machine clients: the member who was checked in.',
  }),
}).meta({ id: 'CheckedIn', graphType: 'CheckIn' });
export type CheckedInShape = z.infer<typeof CheckedInShape>;

export const CheckInInput = z
  .object({
    qrCode: z.string().min(1).max(256).meta({ description: "The member's check-in code." }),
    locationId: z.uuid(),
    source: z
      .string()
      .min(1)
      .max(32)
      .nullish()
      .meta({ description: 'The scanning device, e.g. kiosk or app.' }),
    override: z
      .boolean()
      .nullish()
      .meta({ description: 'Only for staff: lets the member in even if the location is full; audited.' }),
  })
  .meta({ graphType: 'CheckInInput' });

export const CheckOutInput = z
  .object({
    qrCode: z.string().min(1).max(256).nullish(),
    userId: z.uuid().nullish(),
    locationId: z.uuid().nullish().meta({ description: 'Ends the visit only if it is at this location.' }),
  })
  .meta({ graphType: 'CheckOutInput' });

export const DenialShape = z
  .object({
    id: z.uuid(),
    locationId: z.uuid(),
    userId: z.uuid().nullable(),
    reason: z.string().meta({ description: 'The error code of the refusal.' }),
    presentedBy: z.uuid().nullable().meta({ description: 'Null once that account is deleted.' }),
    deniedAt: z.iso.datetime(),
    count: z.int().meta({
      description:
        'How many denials this entry represents. The first 60 denials of one caller in an hour have one entry each; the last of these entries also counts the following ones, whatever their reason.',
    }),
  })
  .meta({ id: 'CheckInDenial' });
export type DenialShape = z.infer<typeof DenialShape>;
