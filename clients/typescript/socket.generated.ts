// Written by `npm run clients`; do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A member who is online. */
        OnlineUser: {
            /** @description The user's id. */
            userId: string;
            /** @description The id of the user's gym. */
            gymId: string;
            /**
             * @description The status that the member has chosen: `AVAILABLE` or `WORKING_OUT`.
             *     - `AVAILABLE`: Ready to train with others.
             *     - `WORKING_OUT`: Online, and busy with a workout.
             *     - `INVISIBLE`: Online, but not shown to other users.
             * @enum {string}
             */
            status: "AVAILABLE" | "WORKING_OUT" | "INVISIBLE";
            /** @description What the member is doing, in their own words; null if they have not stated it. */
            activity: string | null;
            /**
             * Format: date-time
             * @description The time since which other users can see the member.
             */
            since: string;
        };
        /** @description "Train with me": from one member of a gym to another. */
        SquadInvite: {
            /**
             * Format: uuid
             * @description The invite's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The squad that the invite is for.
             */
            squadId: string;
            /** @description The id of the gym of both users. */
            gymId: string;
            /** @description The sender's id. */
            fromUserId: string;
            /** @description The receiver's id. */
            toUserId: string;
            /** @description The words of the sender; null if there are none. */
            message: string | null;
            /**
             * @description What has become of the invite.
             *     - `PENDING`: The invite is open.
             *     - `ACCEPTED`: Its receiver has accepted it.
             *     - `DECLINED`: Its receiver has declined it.
             *     - `EXPIRED`: Not answered in ten minutes.
             *     - `REVOKED`: Revoked by the sender, or because the squad has ended.
             * @enum {string}
             */
            status: "PENDING" | "ACCEPTED" | "DECLINED" | "EXPIRED" | "REVOKED";
            /**
             * Format: date-time
             * @description The time at which the invite was sent.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The invite can be answered until this time, ten minutes after it was sent.
             */
            expiresAt: string;
            /** @description When it was accepted, declined or revoked, or was found to have expired; null while it is open. */
            respondedAt: string | null;
        };
        /** @description A squad: members of a gym who train together now. Each change of it increases `revision` by one. */
        SquadSession: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            id: string;
            /** @description The id of the gym whose members train. */
            gymId: string;
            /** @description The id of the host. */
            hostId: string;
            /** @description The id of the routine; null for a workout without a routine. */
            routineId: string | null;
            /** @description The version of the routine when the squad was opened; null for a workout without a routine, or if it is not known. */
            routineVersion: number | null;
            /**
             * @description The state of the squad.
             *     - `LOBBY`: Open, and the workout has not started.
             *     - `ACTIVE`: The workout is running.
             *     - `PAUSED`: The host has paused the workout.
             *     - `ENDED`: The squad has ended, and does not change any more.
             * @enum {string}
             */
            status: "LOBBY" | "ACTIVE" | "PAUSED" | "ENDED";
            /** @description The number of changes of the squad. */
            revision: number;
            /** @description All users who take part or took part, in the order of joining. */
            participants: components["schemas"]["SquadParticipant"][];
            /**
             * Format: date-time
             * @description The time at which the squad was opened.
             */
            createdAt: string;
            /** @description The time at which the workout was started; null before. */
            startedAt: string | null;
            /** @description The beginning of the current pause; null if the workout is not paused. */
            pausedAt: string | null;
            /** @description The time at which the squad ended; null before. */
            endedAt: string | null;
        };
        /** @description A user in a squad, with their position in the workout. */
        SquadParticipant: {
            /** @description The participant's id. */
            userId: string;
            /**
             * Format: date-time
             * @description The time at which the user first joined the squad.
             */
            joinedAt: string;
            /** @description The time at which the user left; null while they take part. */
            leftAt: string | null;
            /** @description The number of the exercise, from 0. In a routine, the entries of all blocks are counted in their order. */
            exerciseIndex: number;
            /** @description The number of the set in the exercise, from 0. */
            setIndex: number;
            /**
             * @description What the user does at this position.
             *     - `WORK`: They do the set.
             *     - `REST`: They rest after the set.
             *     - `DONE`: They have finished the set and its rest; after the last set, the workout.
             * @enum {string}
             */
            phase: "WORK" | "REST" | "DONE";
            /** @description The time at which the user wants to continue; null if they have not stated it. */
            restEndsAt: string | null;
            /** @description The set that the user sent last; null before the first set. */
            lastSet: {
                /** @description The number of repetitions; null if it was not sent. */
                reps?: number | null;
                /** @description The weight in kilograms; null if it was not sent. */
                weightKg?: number | null;
                /** @description The duration in seconds; null if it was not sent. */
                durationSeconds?: number | null;
                /** @description The distance in metres; null if it was not sent. */
                distanceMeters?: number | null;
                /** @description Rating of perceived exertion, 0 to 10; null if it was not sent. */
                rpe?: number | null;
            } | null;
            /** @description The number of sets that the user has done, each counted once. */
            setsDone: number;
        };
        SquadEvent: {
            /**
             * @description squad_joined: a user has joined; squad_left: a user has left or was removed; squad_updated: any other change.
             * @enum {string}
             */
            event: "squad_joined" | "squad_left" | "squad_updated";
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /** @description The number of changes of the squad, including this one. */
            revision: number;
            /**
             * Format: date-time
             * @description The time of the change.
             */
            at: string;
            /** @description The user who did it; for squad_left the user who has left or was removed. */
            userId: string;
            /** @description The id of the host after the change. */
            hostId: string;
            /**
             * @description The state of the squad after the change.
             * @enum {string}
             */
            status: "LOBBY" | "ACTIVE" | "PAUSED" | "ENDED";
            /** @description The participant after the change; null if the session as a whole has changed. */
            participant: components["schemas"]["SquadParticipant"] | null;
        };
        /** @description A message in the chat of a squad. */
        SquadMessage: {
            /**
             * Format: uuid
             * @description The message's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /** @description The user who wrote the message. */
            userId: string;
            /** @description Empty once the message is deleted. */
            text: string;
            /** @description Whether its author has deleted it. */
            deleted: boolean;
            /** @description The id that the sender chose for the message, by which a repeated one is recognised; null if they chose none. */
            clientId: string | null;
            /** @description The number of the message in the squad, from 1. */
            seq: number;
            /**
             * Format: date-time
             * @description The time at which the message was sent.
             */
            sentAt: string;
        };
        /** @description A message of a squad that one of its readers has reported. */
        SquadMessageReport: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /**
             * Format: uuid
             * @description The message's id.
             */
            messageId: string;
            /** @description The user who reported the message. */
            reporterId: string;
            /** @description The user who wrote the message. */
            authorId: string;
            /** @description The text of the message when it was reported. */
            text: string;
            /** @description Why the message was reported, in the words of the reporter; null if they have not stated it. */
            reason: string | null;
            /**
             * Format: date-time
             * @description The time of the reporter's latest report of this message.
             */
            createdAt: string;
        };
        /** @description The online users of a gym, or how they have changed. */
        OnlineUsersUpdate: {
            /** @description All online users; if `full` is false, those who have come online or changed. */
            users: components["schemas"]["OnlineUser"][];
            /** @description Ids of users who are no longer online; empty if `full` is true. */
            removed: string[];
            /** @description Whether `users` is the whole list. If more than 100 users are online, updates contain only what has changed. */
            full: boolean;
            /** @description The number of the update in this subscription or connection. If a number is missing, begin again. Subscriptions that select this field are not shared by the gateway, which costs it more. */
            seq: number;
        };
        ClassSession: {
            /** @description The session's id. */
            id: string;
            /** @description The class's id. */
            classId: string;
            /** @description The gym that offers the class. */
            gymId: string;
            /** @description The location at which the session takes place. */
            locationId: string;
            /** @description The title of the class. */
            title: string;
            /**
             * Format: date-time
             * @description The start.
             */
            startsAt: string;
            /**
             * Format: date-time
             * @description The end.
             */
            endsAt: string;
            /** @description The places. */
            capacity: number;
            /** @description How many places are taken. */
            booked: number;
            /** @description How many bookings are on the waiting list. */
            waiting: number;
            /**
             * @description The state of the session.
             * @enum {string}
             */
            status: "SCHEDULED" | "CANCELLED" | "DONE";
        };
        authenticate_data: {
            /** @description The access token of the user. */
            token: string;
        };
        /** @description Your status and your activity. */
        user_online_data: {
            /**
             * @description Absent: the status that you chose last; `AVAILABLE` if you have never chosen one.
             *     - `AVAILABLE`: Ready to train with others.
             *     - `WORKING_OUT`: Online, and busy with a workout.
             *     - `INVISIBLE`: Online, but not shown to other users.
             *     - `OFFLINE`: Not online, also while the user is connected, until they choose another status. No user is shown with this status.
             */
            status?: ("AVAILABLE" | "WORKING_OUT" | "INVISIBLE" | "OFFLINE") | null;
            /** @description What you are doing, in your own words; at most 140 characters. Absent: unchanged; null: removed. */
            activity?: string | null;
            /** @description True: updates contain only what has changed. Default: the whole list, if it has at most 100 users. */
            delta?: boolean;
        };
        /** @description A new invite. */
        send_squad_invite_data: {
            /**
             * Format: uuid
             * @description The id of a member of your gym.
             */
            toUserId: string;
            /** @description The id of a squad that you take part in; absent: a squad of yours in LOBBY. */
            squadId?: string | null;
            /** @description Words for the receiver: at most 280 characters. */
            message?: string | null;
        };
        /** @description An answer to an invite. */
        respond_squad_invite_data: {
            /**
             * Format: uuid
             * @description The invite's id.
             */
            inviteId: string;
            /** @description True accepts the invite, false declines it. */
            accept: boolean;
        };
        /** @description A squad. */
        join_squad_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /** @description The last revision that the client has; absent: the answer contains no missed events. */
            fromRevision?: number | null;
            /** @description The `seq` of the last message that the client has; absent: only later messages are sent. */
            fromMessage?: number | null;
        };
        /** @description A squad. */
        leave_squad_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
        };
        /** @description A squad. */
        start_squad_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
        };
        /** @description A squad. */
        pause_squad_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
        };
        /** @description A squad. */
        end_squad_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
        };
        /** @description A user in a squad. */
        kick_from_squad_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /**
             * Format: uuid
             * @description The user's id.
             */
            userId: string;
        };
        /** @description A user in a squad. */
        make_squad_host_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /**
             * Format: uuid
             * @description The user's id.
             */
            userId: string;
        };
        /** @description Your position in the workout of a squad, and the set that you have done there. */
        update_workout_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /** @description An id that you choose, by which a repeated update is recognised: at most 100 characters. */
            eventId: string;
            /** @description The number of the exercise, from 0; at most 500. In a routine, the entries of all blocks are counted in their order. */
            exerciseIndex: number;
            /** @description The number of the set in the exercise, from 0; at most 500. */
            setIndex: number;
            /** @description Required if the squad has no routine, or one without exercises. If it has one, the exercise of the routine at `exerciseIndex`, or absent. */
            exerciseId?: string | null;
            /**
             * @description What you do at this position.
             *     - `WORK`: They do the set.
             *     - `REST`: They rest after the set.
             *     - `DONE`: They have finished the set and its rest; after the last set, the workout.
             * @enum {string}
             */
            phase: "WORK" | "REST" | "DONE";
            /** @description The set that you have done. The modality of the exercise decides which of its fields are allowed. */
            set?: {
                /** @description The number of repetitions: 1 to 1,000. */
                reps?: number | null;
                /** @description The weight in kilograms: at most 1,000. */
                weightKg?: number | null;
                /** @description The duration in seconds: 1 to 86,400. A training has whole seconds. */
                durationSeconds?: number | null;
                /** @description The distance in metres: above 0, at most 1,000,000. */
                distanceMeters?: number | null;
                /** @description Rating of perceived exertion, 1 to 10. */
                rpe?: number | null;
            } | null;
            /** @description The time at which you want to continue: at most an hour from now. */
            restEndsAt?: string | null;
        };
        /** @description A new message. */
        send_squad_message_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /** @description The text of the message: at most 2,000 characters. */
            text: string;
            /** @description An id that you choose, by which a repeated message is recognised: at most 100 characters. */
            clientId?: string | null;
        };
        /** @description A message of a squad. */
        delete_squad_message_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /**
             * Format: uuid
             * @description The message's id.
             */
            messageId: string;
        };
        /** @description A report of a message. */
        report_squad_message_data: {
            /**
             * Format: uuid
             * @description The squad's id.
             */
            squadId: string;
            /**
             * Format: uuid
             * @description The message's id.
             */
            messageId: string;
            /** @description Why the message is reported: at most 500 characters. */
            reason?: string | null;
        };
        authenticate_ack_data: {
            /** @description The user's id. */
            userId: string;
            /**
             * Format: date-time
             * @description The time at which the access token expires.
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        /** @description The online users of a gym, or how they have changed. */
        user_online_ack_data: {
            /** @description All online users; if `full` is false, those who have come online or changed. */
            users: components["schemas"]["OnlineUser"][];
            /** @description Ids of users who are no longer online; empty if `full` is true. */
            removed: string[];
            /** @description Whether `users` is the whole list. If more than 100 users are online, updates contain only what has changed. */
            full: boolean;
            /** @description The number of the update in this subscription or connection. If a number is missing, begin again. Subscriptions that select this field are not shared by the gateway, which costs it more. */
            seq: number;
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        send_squad_invite_ack_data: {
            invite: components["schemas"]["SquadInvite"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        respond_squad_invite_ack_data: {
            invite: components["schemas"]["SquadInvite"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        join_squad_ack_data: {
            session: components["schemas"]["SquadSession"];
            /** @description The events after `fromRevision`, in order. */
            missed: components["schemas"]["SquadEvent"][];
            /** @description False if older events are no longer stored, so that the client has to use the state in `session`. */
            complete: boolean;
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        leave_squad_ack_data: {
            session: components["schemas"]["SquadSession"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        start_squad_ack_data: {
            session: components["schemas"]["SquadSession"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        pause_squad_ack_data: {
            session: components["schemas"]["SquadSession"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        end_squad_ack_data: {
            session: components["schemas"]["SquadSession"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        kick_from_squad_ack_data: {
            session: components["schemas"]["SquadSession"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        make_squad_host_ack_data: {
            session: components["schemas"]["SquadSession"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        update_workout_ack_data: {
            /** @description The revision that the update has made, also if it was sent before. */
            revision: number;
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        send_squad_message_ack_data: {
            message: components["schemas"]["SquadMessage"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        delete_squad_message_ack_data: {
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        report_squad_message_ack_data: {
            report: components["schemas"]["SquadMessageReport"];
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        online_users_updated_data: components["schemas"]["OnlineUsersUpdate"];
        squad_invite_received_data: {
            invite: components["schemas"]["SquadInvite"];
        };
        squad_invite_updated_data: {
            invite: components["schemas"]["SquadInvite"];
        };
        squad_joined_data: components["schemas"]["SquadEvent"];
        squad_left_data: components["schemas"]["SquadEvent"];
        squad_updated_data: components["schemas"]["SquadEvent"];
        squad_message_data: {
            message: components["schemas"]["SquadMessage"];
        };
        class_session_changed_data: {
            session: components["schemas"]["ClassSession"];
        };
        error_data: {
            code: string;
            message: string;
            /** @description The errors, field by field; absent if the error is not about fields. */
            errors?: {
                path: string;
                message: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

/** What a client may send: the data of each event, and of its ack. */
export interface ClientEvents {
    authenticate: { data: components['schemas']['authenticate_data']; ack: components['schemas']['authenticate_ack_data'] };
    user_online: { data: components['schemas']['user_online_data']; ack: components['schemas']['user_online_ack_data'] };
    send_squad_invite: { data: components['schemas']['send_squad_invite_data']; ack: components['schemas']['send_squad_invite_ack_data'] };
    respond_squad_invite: { data: components['schemas']['respond_squad_invite_data']; ack: components['schemas']['respond_squad_invite_ack_data'] };
    join_squad: { data: components['schemas']['join_squad_data']; ack: components['schemas']['join_squad_ack_data'] };
    leave_squad: { data: components['schemas']['leave_squad_data']; ack: components['schemas']['leave_squad_ack_data'] };
    start_squad: { data: components['schemas']['start_squad_data']; ack: components['schemas']['start_squad_ack_data'] };
    pause_squad: { data: components['schemas']['pause_squad_data']; ack: components['schemas']['pause_squad_ack_data'] };
    end_squad: { data: components['schemas']['end_squad_data']; ack: components['schemas']['end_squad_ack_data'] };
    kick_from_squad: { data: components['schemas']['kick_from_squad_data']; ack: components['schemas']['kick_from_squad_ack_data'] };
    make_squad_host: { data: components['schemas']['make_squad_host_data']; ack: components['schemas']['make_squad_host_ack_data'] };
    update_workout: { data: components['schemas']['update_workout_data']; ack: components['schemas']['update_workout_ack_data'] };
    send_squad_message: { data: components['schemas']['send_squad_message_data']; ack: components['schemas']['send_squad_message_ack_data'] };
    delete_squad_message: { data: components['schemas']['delete_squad_message_data']; ack: components['schemas']['delete_squad_message_ack_data'] };
    report_squad_message: { data: components['schemas']['report_squad_message_data']; ack: components['schemas']['report_squad_message_ack_data'] };
}
/** What the server pushes: the data of each event. */
export interface ServerEvents {
    online_users_updated: components['schemas']['online_users_updated_data'];
    squad_invite_received: components['schemas']['squad_invite_received_data'];
    squad_invite_updated: components['schemas']['squad_invite_updated_data'];
    squad_joined: components['schemas']['squad_joined_data'];
    squad_left: components['schemas']['squad_left_data'];
    squad_updated: components['schemas']['squad_updated_data'];
    squad_message: components['schemas']['squad_message_data'];
    class_session_changed: components['schemas']['class_session_changed_data'];
}
