import { z } from 'zod';
import { uuid, visibleText } from '#server/shapes.ts';

export const InviteStatus = {
  PENDING: 'PENDING',
  ACCEPTED: 'ACCEPTED',
  DECLINED: 'DECLINED',
  EXPIRED: 'EXPIRED',
  REVOKED: 'REVOKED',
} as const;
export type InviteStatus = (typeof InviteStatus)[keyof typeof InviteStatus];

export const InviteShape = z
  .object({
    id: uuid(),
    squadId: uuid(),
    gymId: z.string().meta({ description: 'The id of the gym of both users.' }),
    fromUserId: z.string().meta({ description: "The sender's id." }),
    toUserId: z.string().meta({ description: "The receiver's id." }),
    message: z.string().nullable(),
    status: z.enum(InviteStatus),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    respondedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SquadInvite' });
export type InviteShape = z.infer<typeof InviteShape>;

/** An invite as it is stored: if it is PENDING, it may have expired. */
export type StoredInvite = InviteShape;

const MAX_MESSAGE = 280; // characters

export const SendInviteShape = z
  .object({
    toUserId: uuid('expected the id of a user'),
    squadId: uuid('expected the id of a squad').nullish(),
    message: z.preprocess(
      (given) => (typeof given === 'string' && given.trim() === '' ? null : given),
      visibleText(MAX_MESSAGE).nullish(),
    ),
  })
  .meta({ graphType: 'SendSquadInviteInput' });

export const RespondToInviteShape = z
  .object({
    inviteId: uuid('expected the id of an invite'),
    accept: z.boolean('expected true or false'),
  })
  .meta({ graphType: 'RespondToSquadInviteInput' });

/** An invite as it is shown: PENDING becomes EXPIRED after `expiresAt`. */
export const presentInvite = (invite: StoredInvite, now = Date.now()): InviteShape =>
  invite.status === 'PENDING' && Date.parse(invite.expiresAt) <= now
    ? { ...invite, status: 'EXPIRED' }
    : invite;
