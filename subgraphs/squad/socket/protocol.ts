import { z } from 'zod';
import {
  MessageIdShape,
  MessageReportShape,
  MessageShape,
  ReportMessageInput,
  SendMessageShape,
} from '../chat/messages.shapes.ts';
import { ClassSessionShape } from '../class-sessions/class-sessions.shapes.ts';
import { InviteShape, RespondToInviteShape, SendInviteShape } from '../invites/invites.shapes.ts';
import { GoOnlineShape, OnlineUserShape } from '../presence/presence.shapes.ts';
import {
  JoinSquadShape,
  SquadEventShape,
  SquadIdShape,
  SquadMemberShape,
  SquadShape,
  UpdateWorkoutShape,
} from '../squads/squads.shapes.ts';

const online = z
  .object({ users: z.array(OnlineUserShape), removed: z.array(z.string()), full: z.boolean(), seq: z.int() })
  .meta({ id: 'OnlineUsersUpdate' });
/** A part of every ack. */
const serverTime = z.iso
  .datetime()
  .meta({ description: "The server's time, by which a client sets its clock." });
const invite = z.object({ invite: InviteShape });
const session = z.object({ session: SquadShape });
const message = z.object({ message: MessageShape });

/** One event of the raw socket. */
export interface ProtocolEvent {
  name: string;
  summary: string;
  data: z.ZodType;
  /** The data of the ack; absent for an event of the server. */
  ack?: z.ZodObject;
}

const clientEvents = [
  {
    name: 'authenticate',
    summary:
      'Authenticates the client. If the token is not in the Authorization header, this must be the first frame. If the client is already authenticated, the frame renews its token.',
    data: z.object({ token: z.string().meta({ description: 'The access token of the user.' }) }),
    ack: z.object({
      userId: z.string().meta({ description: "The user's id." }),
      expiresAt: z.iso.datetime().meta({ description: 'The time at which the access token expires.' }),
    }),
  },
  {
    name: 'user_online',
    summary:
      'Announces presence to the gym, or changes it. From then on the client gets online_users_updated. Absent fields keep their values. The ack is the whole list.',
    data: GoOnlineShape.extend({
      delta: z.boolean().optional().meta({
        description:
          'True: updates contain only what has changed. Default: the whole list, if it has at most 100 users.',
      }),
    }).meta({ graphType: 'GoOnlineInput' }),
    ack: online,
  },
  {
    name: 'send_squad_invite',
    summary:
      'Invites another member of the gym to a squad. If squadId is absent, the invite is for a LOBBY that the user hosts and in which nobody else is; if there is none, a LOBBY is opened.',
    data: SendInviteShape,
    ack: invite,
  },
  {
    name: 'respond_squad_invite',
    summary: 'Accepts or declines an invite.',
    data: RespondToInviteShape,
    ack: invite,
  },
  {
    name: 'join_squad',
    summary:
      'Enters the squad. From then on the client gets the events and messages of the squad. The ack contains the events after fromRevision; the messages after fromMessage are sent as frames before the ack.',
    data: JoinSquadShape.extend({
      fromMessage: z.int().min(0).nullish().meta({
        description:
          'The `seq` of the last message that the client has; absent: only later messages are sent.',
      }),
    }).meta({ graphType: 'SquadInput' }),
    ack: z.object({
      session: SquadShape,
      missed: z.array(SquadEventShape).meta({ description: 'The events after `fromRevision`, in order.' }),
      complete: z.boolean().meta({
        description:
          'False if older events are no longer stored, so that the client has to use the state in `session`.',
      }),
    }),
  },
  {
    name: 'leave_squad',
    summary: 'Leaves the squad for good; closing the socket does not.',
    data: SquadIdShape,
    ack: session,
  },
  {
    name: 'start_squad',
    summary: 'Starts the workout, or continues it after a pause. For the host.',
    data: SquadIdShape,
    ack: session,
  },
  { name: 'pause_squad', summary: 'Pauses the workout. For the host.', data: SquadIdShape, ack: session },
  { name: 'end_squad', summary: 'Ends the workout. For the host.', data: SquadIdShape, ack: session },
  {
    name: 'kick_from_squad',
    summary: 'Removes a participant, or ends the right of an invitee to enter. For the host.',
    data: SquadMemberShape,
    ack: session,
  },
  {
    name: 'make_squad_host',
    summary: 'Makes another participant the host. For the host.',
    data: SquadMemberShape,
    ack: session,
  },
  {
    name: 'update_workout',
    summary:
      'Stores the progress of the client in the workout. A repeated eventId changes nothing, a late update does not move the participant back, and a set counts once.',
    data: UpdateWorkoutShape,
    ack: z.object({
      revision: z
        .int()
        .meta({ description: 'The revision that the update has made, also if it was sent before.' }),
    }),
  },
  {
    name: 'send_squad_message',
    summary: 'Sends a message to the squad. A repeated clientId returns the first message.',
    data: SendMessageShape,
    ack: message,
  },
  {
    name: 'delete_squad_message',
    summary: 'Deletes a message of the client: it stays in its place without its text.',
    data: MessageIdShape,
    ack: z.object({}),
  },
  {
    name: 'report_squad_message',
    summary: 'Reports a message to the staff of the gym.',
    data: ReportMessageInput,
    ack: z.object({ report: MessageReportShape }),
  },
] as const satisfies readonly (ProtocolEvent & { ack: z.ZodObject })[];

/** For each event of a client: its data, and the data of its ack without `serverTime`. */
export type ClientEvents = {
  [Event in (typeof clientEvents)[number] as Event['name']]: [z.input<Event['data']>, z.output<Event['ack']>];
};

/** The data of each event that the server pushes. */
export type ServerEvents = {
  [Event in (typeof SERVER_EVENTS)[number] as Event['name']]: z.output<Event['data']>;
};

/** The events that a client may send. */
export const CLIENT_EVENTS: readonly ProtocolEvent[] = clientEvents.map((event) => ({
  ...event,
  // `extend` drops the metadata of the shape, so the graph type of `online` is named again: it has the descriptions of all
  // properties except `serverTime`.
  ack: event.ack.extend({ serverTime }).meta(event.ack === online ? { graphType: 'OnlineUsersUpdate' } : {}),
}));

/** The events that the server pushes. */
export const SERVER_EVENTS = [
  {
    name: 'online_users_updated',
    summary:
      'The online users of the gym, after every change that the user may see, at most five times a second.',
    data: online,
  },
  {
    name: 'squad_invite_received',
    summary: 'An invite to the user: open ones after authentication, then each new one, on every device.',
    data: invite,
  },
  {
    name: 'squad_invite_updated',
    summary: 'An invite to or from the user was answered or revoked, or has expired.',
    data: invite,
  },
  { name: 'squad_joined', summary: 'Somebody has entered the squad.', data: SquadEventShape },
  { name: 'squad_left', summary: 'Somebody has left the squad, or was removed.', data: SquadEventShape },
  {
    name: 'squad_updated',
    summary: 'Somebody has moved on in the workout, or its state has changed.',
    data: SquadEventShape,
  },
  {
    name: 'squad_message',
    summary:
      'A message in the chat of the squad. If its author deletes it, it is sent again with `deleted: true` and an empty text.',
    data: message,
  },
  {
    name: 'class_session_changed',
    summary:
      'A class session of the gym was added, moved or cancelled, or its bookings have changed. The data is the session as it is now. Every authenticated client gets this event without a request, unless the gym has switched off the module `classes`.',
    data: z.object({ session: ClassSessionShape }),
  },
] as const satisfies readonly ProtocolEvent[];

export const CLOSE_CODES: readonly { code: number; name: string; meaning: string; next: string }[] = [
  {
    code: 1001,
    name: 'GOING_AWAY',
    meaning: 'The server stops.',
    next: 'Connect again at once: another instance answers. If there is no other instance, try again until this one has started.',
  },
  {
    code: 1009,
    name: 'PAYLOAD_TOO_LARGE',
    meaning: 'A frame was larger than 64 KiB.',
    next: 'Correct the client.',
  },
  {
    code: 1013,
    name: 'TRY_AGAIN_LATER',
    meaning: 'The token in the header cannot be checked now, for example because identity does not answer.',
    next: 'Wait, then connect again.',
  },
  {
    code: 4401,
    name: 'UNAUTHENTICATED',
    meaning: 'No token came within 5 s, or the token in the header is not valid.',
    next: 'Log in, then connect again.',
  },
  {
    code: 4403,
    name: 'TOKEN_EXPIRED',
    meaning: 'The token has expired and was not renewed, or its session has ended.',
    next: 'Refresh the token, then connect again.',
  },
  {
    code: 4408,
    name: 'SLOW_CONSUMER',
    meaning: 'More than 2 MiB waited for the client to read.',
    next: 'Connect again and join with fromRevision and fromMessage.',
  },
  {
    code: 4429,
    name: 'RATE_LIMITED',
    meaning:
      'The client kept sending more than 30 frames a second for 5 s, or sent more than 300 frames or 1 MiB above this rate within a second.',
    next: 'Wait, then connect again.',
  },
  {
    code: 4430,
    name: 'TOO_MANY_SOCKETS',
    meaning: 'The user has more sockets at this instance than SOCKETS_PER_USER allows.',
    next: 'Close one of them, then connect again.',
  },
];
