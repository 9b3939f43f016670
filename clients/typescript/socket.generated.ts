// Written by `npm run clients`; do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        OnlineUser: {
            userId: string;
            gymId: string;
            /** @enum {string} */
            status: "AVAILABLE" | "WORKING_OUT" | "INVISIBLE";
            /** @description What the user is doing, in their own words. */
            activity: string | null;
            /**
             * Format: date-time
             * @description Since when others can see the user.
             */
            since: string;
        };
        SquadInvite: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The squad that the invite is for.
             */
            squadId: string;
            gymId: string;
            fromUserId: string;
            toUserId: string;
            message: string | null;
            /** @enum {string} */
            status: "PENDING" | "ACCEPTED" | "DECLINED" | "EXPIRED" | "REVOKED";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description When it was accepted, declined or revoked, or was found to have expired. */
            respondedAt: string | null;
        };
        SquadSession: {
            /** Format: uuid */
            id: string;
            gymId: string;
            hostId: string;
            routineId: string | null;
            /** @description The version of the routine that is trained: the one when the squad was opened. */
            routineVersion: number | null;
            /** @enum {string} */
            status: "LOBBY" | "ACTIVE" | "PAUSED" | "ENDED";
            /** @description The number of changes of the squad. */
            revision: number;
            participants: components["schemas"]["SquadParticipant"][];
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            pausedAt: string | null;
            endedAt: string | null;
        };
        SquadParticipant: {
            userId: string;
            /** Format: date-time */
            joinedAt: string;
            /** @description Null while the user takes part. */
            leftAt: string | null;
            /** @description The index of the exercise, from 0. With a routine it counts the entries of all blocks. */
            exerciseIndex: number;
            setIndex: number;
            /** @enum {string} */
            phase: "WORK" | "REST" | "DONE";
            restEndsAt: string | null;
            lastSet: {
                reps?: number | null;
                weightKg?: number | null;
                durationSeconds?: number | null;
                distanceMeters?: number | null;
                /** @description Rating of perceived exertion, 0 to 10. */
                rpe?: number | null;
            } | null;
            /** @description The number of sets that the user has done, each counted once. */
            setsDone: number;
        };
        SquadEvent: {
            /** @enum {string} */
            event: "squad_joined" | "squad_left" | "squad_updated";
            /** Format: uuid */
            squadId: string;
            revision: number;
            /** Format: date-time */
            at: string;
            /** @description The user who did it; for squad_left the user who has left or was removed. */
            userId: string;
            hostId: string;
            /** @enum {string} */
            status: "LOBBY" | "ACTIVE" | "PAUSED" | "ENDED";
            /** @description The participant after the change; null if the session as a whole has changed. */
            participant: components["schemas"]["SquadParticipant"] | null;
        };
        SquadMessage: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            squadId: string;
            userId: string;
            /** @description Empty once the message is deleted. */
            text: string;
            /** @description Whether its author has deleted it. */
            deleted: boolean;
            /** @description The sender's own id of the message, by which a repeated one is recognised. */
            clientId: string | null;
            /** @description The number of the message in its squad, from 1. */
            seq: number;
            /** Format: date-time */
            sentAt: string;
        };
        SquadMessageReport: {
            /** Format: uuid */
            squadId: string;
            /** Format: uuid */
            messageId: string;
            reporterId: string;
            authorId: string;
            /** @description The text of the message when it was reported. */
            text: string;
            reason: string | null;
            /** Format: date-time */
            createdAt: string;
        };
        OnlineUsersUpdate: {
            users: components["schemas"]["OnlineUser"][];
            removed: string[];
            full: boolean;
            seq: number;
        };
        authenticate_data: {
            token: string;
        };
        user_online_data: {
            /** @description Absent: the last one that was chosen; AVAILABLE if none ever was. OFFLINE ends presence until another one is chosen. */
            status?: ("AVAILABLE" | "WORKING_OUT" | "INVISIBLE" | "OFFLINE") | null;
            /** @description At most 140 characters. Absent: the activity stays. Null: it is cleared. */
            activity?: string | null;
            delta?: boolean;
        };
        send_squad_invite_data: {
            /** Format: uuid */
            toUserId: string;
            squadId?: string | null;
            message?: string | null;
        };
        respond_squad_invite_data: {
            /** Format: uuid */
            inviteId: string;
            accept: boolean;
        };
        join_squad_data: {
            /** Format: uuid */
            squadId: string;
            fromRevision?: number | null;
            fromMessage?: number | null;
        };
        leave_squad_data: {
            /** Format: uuid */
            squadId: string;
        };
        start_squad_data: {
            /** Format: uuid */
            squadId: string;
        };
        pause_squad_data: {
            /** Format: uuid */
            squadId: string;
        };
        end_squad_data: {
            /** Format: uuid */
            squadId: string;
        };
        kick_from_squad_data: {
            /** Format: uuid */
            squadId: string;
            /** Format: uuid */
            userId: string;
        };
        make_squad_host_data: {
            /** Format: uuid */
            squadId: string;
            /** Format: uuid */
            userId: string;
        };
        update_workout_data: {
            /** Format: uuid */
            squadId: string;
            eventId: string;
            /** @description The index of the exercise, from 0. With a routine it counts the entries of all blocks. */
            exerciseIndex: number;
            setIndex: number;
            /** @description Required if the squad has no routine; otherwise it has to be the exercise of the routine. */
            exerciseId?: string | null;
            /** @enum {string} */
            phase: "WORK" | "REST" | "DONE";
            set?: {
                reps?: number | null;
                weightKg?: number | null;
                durationSeconds?: number | null;
                distanceMeters?: number | null;
                /** @description Rating of perceived exertion, 0 to 10. */
                rpe?: number | null;
            } | null;
            /** @description At most an hour from now. */
            restEndsAt?: string | null;
        };
        send_squad_message_data: {
            /** Format: uuid */
            squadId: string;
            text: string;
            clientId?: string | null;
        };
        delete_squad_message_data: {
            /** Format: uuid */
            squadId: string;
            /** Format: uuid */
            messageId: string;
        };
        report_squad_message_data: {
            /** Format: uuid */
            squadId: string;
            /** Format: uuid */
            messageId: string;
            reason?: string | null;
        };
        authenticate_ack_data: {
            userId: string;
            /** Format: date-time */
            expiresAt: string;
            /**
             * Format: date-time
             * @description The server's time, by which a client sets its clock.
             */
            serverTime: string;
        };
        user_online_ack_data: {
            users: components["schemas"]["OnlineUser"][];
            removed: string[];
            full: boolean;
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
            missed: components["schemas"]["SquadEvent"][];
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
        error_data: {
            code: string;
            message: string;
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
}
