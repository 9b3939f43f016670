import type { SquadServices } from '../services.ts';
import type { SocketConnection } from './connection.socket.ts';
import type { ClientEvents } from './protocol.ts';

/** Answers one event of a client; what it returns is the `data` of the ack. */
type SocketEvent = (data: unknown, services: SquadServices, connection: SocketConnection) => Promise<object>;

/** The functions that answer the events of a client, by the event's name. */
export type SocketEvents = Readonly<Record<string, SocketEvent>>;

/** Answers for all events of a client except `authenticate`, which the connection itself answers. */
export type AllSocketEvents = Readonly<Record<Exclude<keyof ClientEvents, 'authenticate'>, SocketEvent>>;
