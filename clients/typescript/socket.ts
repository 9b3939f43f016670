import type { ClientEvents, ServerEvents } from './socket.generated.ts';

export interface SquadSocketOptions {
  /** The gateway, e.g. `http://localhost:4000`. */
  url: string;
  /** The access token of a user. */
  token: string;
}

interface Frame {
  event: string;
  id?: number;
  data: unknown;
}
interface Waiting {
  resolve(data: never): void;
  reject(error: Error): void;
}

/** The server has refused a frame. */
export class SquadSocketError extends Error {
  readonly code: string;
  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.name = 'SquadSocketError';
    this.code = code;
  }
}

/** A connection to the raw socket of squads, typed by its AsyncAPI document, for browsers and Node. */
export class SquadSocket {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<(data: never) => void>>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Frame));
    socket.addEventListener('close', ({ code, reason }) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`The socket was closed: ${code} ${reason}`));
      this.#waiting.clear();
    });
  }

  /** Connects and authenticates. */
  static async connect({ url, token }: SquadSocketOptions): Promise<SquadSocket> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/squad/socket`, 'squad.v1');
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new Error(`No socket at ${url}.`)), { once: true });
    });
    const connected = new SquadSocket(socket);
    await connected.send('authenticate', { token });
    return connected;
  }

  /**
   * Sends an event; resolves with the data of its ack.
   * @throws SquadSocketError if the server refuses it; Error if the socket is closed, or closes before the ack
   */
  send<Event extends keyof ClientEvents>(
    event: Event,
    data: ClientEvents[Event]['data'],
  ): Promise<ClientEvents[Event]['ack']> {
    if (this.#socket.readyState !== WebSocket.OPEN)
      return Promise.reject(new Error('The socket is closed; connect again.'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ event, data, id }));
    });
  }

  /** Calls the listener for each event of that name. Returns a function that removes the listener. */
  on<Event extends keyof ServerEvents>(
    event: Event,
    listener: (data: ServerEvents[Event]) => void,
  ): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  close(): void {
    this.#socket.close(1000);
  }

  #receive({ event, id, data }: Frame): void {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) {
      for (const listener of this.#listeners.get(event) ?? []) listener(data as never);
      return;
    }
    this.#waiting.delete(id);
    if (event === 'error') waiting.reject(new SquadSocketError(data as { code: string; message: string }));
    else waiting.resolve(data as never);
  }
}
