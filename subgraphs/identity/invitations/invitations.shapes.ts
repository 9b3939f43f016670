import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { Role } from '#server/auth/viewer.ts';
import { RegisterShape, UserShape } from '../users/users.shapes.ts';

export const InviteUserInput = z
  .object({
    id: uuid().nullish().meta({
      description:
        'Only for a service of the platform, which chooses the id so that a repeated request creates no second invitation.',
    }),
    email: RegisterShape.shape.email,
    displayName: RegisterShape.shape.displayName,
    role: z.enum(Role).nullish(),
    gymId: uuid().nullish(),
  })
  .meta({ graphType: 'InviteUserInput' });

/** The new account, or only what was sent if the user has an account already; with what an invitation has besides. */
export const InvitedUserShape = UserShape.extend({
  userId: uuid().meta({
    description:
      'Equal to `id`: the id of the new account, or of the invitation if the user has an account already.',
  }),
  sentAt: z.iso.datetime().nullable().meta({ description: 'Null: the mail is sent afterwards.' }),
  expiresAt: z.iso.datetime().nullable().meta({ description: 'Null before the mail is sent.' }),
}).meta({ id: 'InvitedUser', graphType: 'User' });
export type InvitedUserShape = z.infer<typeof InvitedUserShape>;

/** The rule checks the filter, because an `ID` of the graph may be any text. */
export const InvitationsFilter = z.object({ gymId: uuid('expected the id of a gym').nullish() });

export const InvitationShape = z
  .object({
    id: uuid(),
    userId: uuid(),
    email: z.string(),
    displayName: z.string(),
    role: z.enum(Role),
    gymId: uuid().nullable(),
    createdAt: z.iso.datetime(),
    sentAt: z.iso.datetime().nullable(),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Invitation' });
export type InvitationShape = z.infer<typeof InvitationShape>;
