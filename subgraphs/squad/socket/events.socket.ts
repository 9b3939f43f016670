import type { SquadServices } from '../services.ts';
import type { SocketConnection } from './connection.socket.ts';
import type { ClientEvents } from './protocol.ts';

/** Answers one event of a client; what it returns is the `data` of the ack. */
type SocketEvent = (data: unknown, services: SquadServices, connection: SocketConnection) => Promise<object>;

/** Events by name, as the client sends them. */
export type SocketEvents = Readonly<Record<string, SocketEvent>>;

/** The events of all aggregates. The connection itself answers `authenticate`. */
export type AllSocketEvents = Readonly<Record<Exclude<keyof ClientEvents, 'authenticate'>, SocketEvent>>;
