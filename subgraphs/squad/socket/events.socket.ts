import type { SquadServices } from '../services.ts';
import type { SocketConnection } from './connection.socket.ts';

/** Answers one event of a client; what it returns is the `data` of the ack. */
type SocketEvent = (data: unknown, services: SquadServices, connection: SocketConnection) => Promise<object>;

/** Events by name, as the client sends them; those of the aggregates are merged. */
export type SocketEvents = Readonly<Record<string, SocketEvent>>;
