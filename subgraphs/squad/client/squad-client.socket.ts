import { WebSocket, type ClientOptions } from 'ws';
import type { ClientEvents, ServerEvents as PushedEvents } from '../socket/protocol.ts';

/** The data of each frame that the server sends of its own accord. */
export type ServerEvents = PushedEvents & { error: { code: string; message: string } };

/** The data of an ack. */
export type Ack<Event extends keyof ClientEvents> = ClientEvents[Event][1] & {
  /** ISO 8601: the server's time, by which a client shows `restEndsAt` and `expiresAt`. */
  serverTime: string;
};

/** A frame as it comes from the server. */
export interface ServerFrame<Event extends keyof ServerEvents = keyof ServerEvents> {
  event: Event;
  data: ServerEvents[Event];
  seq?: number;
  id?: string | number;
}

/** The server refused a frame. */
export class SquadError extends Error {
  readonly code: string;
  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.name = 'SquadError';
    this.code = code;
  }
}

export interface SquadClientOptions {
  /** `http://host:3005`, or the gateway's `http://host:4000/squad`. */
  url: string;
  /** Sent in the first frame, because a browser cannot set the header of a WebSocket. */
  token?: string;
  /** Sent in the `Authorization` header instead. */
  headerToken?: string;
  origin?: string;
}

/**
 * A client of the raw socket, typed by the protocol.
 *
 *     const squad = await SquadClient.connect({ url: 'http://localhost:3005', token });
 *     const { users } = await squad.send('user_online', { status: 'AVAILABLE' });
 *     squad.on('squad_invite_received', ({ invite }) => squad.send('respond_squad_invite', { inviteId: invite.id, accept: true }));
 */
export class SquadClient {
  /** Every pushed frame, in order. */
  readonly frames: ServerFrame[] = [];
  /** The close code and reason, once it is closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  private nextId = 1;
  private readonly pending = new Map<number, { resolve(data: never): void; reject(error: Error): void }>();
  private readonly listeners = new Set<(frame: ServerFrame) => void>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (bytes: Buffer) => this.receive(JSON.parse(bytes.toString('utf8')) as ServerFrame));
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') })),
    );
    socket.once('close', (code, reason) => {
      const error = closedError({ code, reason: reason.toString('utf8') });
      for (const { reject } of this.pending.values()) reject(error);
    });
  }

  /** Connects and, with a token, authenticates. */
  static async connect({ url, token, headerToken, origin }: SquadClientOptions): Promise<SquadClient> {
    const options: ClientOptions = {
      ...(headerToken && { headers: { Authorization: `Bearer ${headerToken}` } }),
      ...(origin && { origin }),
      perMessageDeflate: false,
    };
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/socket`, 'squad.v1', options);
    const client = new SquadClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    socket.on('error', () => undefined);
    if (token) await client.send('authenticate', { token });
    return client;
  }

  /** Resolves to the ack. @throws SquadError, with the close code if the socket is closed before the ack comes */
  send<Event extends keyof ClientEvents>(event: Event, data: ClientEvents[Event][0]): Promise<Ack<Event>> {
    // `ws` ignores frames that are sent after the close. Before it, the frame is in `pending` when the socket closes.
    if (this.socket.readyState === WebSocket.CLOSED)
      return this.closed.then((closed) => Promise.reject(closedError(closed)));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ event, data, id }));
    });
  }

  /** Calls `listener` with each pushed event of that name. Returns a function that removes the listener. */
  on<Event extends keyof ServerEvents>(
    event: Event,
    listener: (data: ServerEvents[Event], frame: ServerFrame<Event>) => void,
  ): () => void {
    const onFrame = (frame: ServerFrame): void => {
      if (frame.event === event) listener(frame.data as ServerEvents[Event], frame as ServerFrame<Event>);
    };
    this.listeners.add(onFrame);
    return () => void this.listeners.delete(onFrame);
  }

  /** Resolves to the data of the first pushed event of that name for which `fits` is true, also if it came before the call. */
  next<Event extends keyof ServerEvents>(
    event: Event,
    fits: (data: ServerEvents[Event]) => boolean = () => true,
  ): Promise<ServerEvents[Event]> {
    const known = this.frames.find(
      (frame) => frame.event === event && fits(frame.data as ServerEvents[Event]),
    );
    if (known) return Promise.resolve(known.data as ServerEvents[Event]);
    return new Promise((resolve) => {
      const stop = this.on(event, (data) => {
        if (!fits(data)) return;
        stop();
        resolve(data);
      });
    });
  }

  async close(): Promise<void> {
    this.socket.close(1000);
    await this.closed;
  }

  private receive(frame: ServerFrame): void {
    const pending = typeof frame.id === 'number' ? this.pending.get(frame.id) : undefined;
    if (pending) {
      this.pending.delete(frame.id as number);
      if (frame.event === 'error') pending.reject(new SquadError(frame.data as ServerEvents['error']));
      else pending.resolve(frame.data as never); // an answer to the event that was sent under this id
      return;
    }
    this.frames.push(frame);
    for (const listener of this.listeners) listener(frame);
  }
}

const closedError = ({ code, reason }: { code: number; reason: string }): SquadError =>
  new SquadError({ code: String(code), message: `closed: ${code} ${reason}` });
