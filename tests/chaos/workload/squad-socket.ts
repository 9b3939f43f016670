import { setTimeout as sleep } from 'node:timers/promises';
import { SquadClient, SquadError } from '../../../subgraphs/squad/client/squad-client.socket.ts';
import type { History, Operation } from '../history.ts';
import { statusOf } from './client.ts';
import type { Person } from './people.ts';

const ACK_MILLIS = 10_000;

/**
 * A member's socket, as a careful app keeps it: it connects again, sends its frames again under the same ids, and returns
 * to its squad with the last revision and message that it has.
 */
export class SquadSocket {
  /** The numbers of the messages of the present squad, in the order in which they arrived. */
  received: number[] = [];
  revision = 0;
  private readonly person: Person;
  private readonly url: string;
  private readonly history: History;
  private squadId: string | undefined;
  private client: SquadClient | undefined;
  private isClosed = false;
  private running: Promise<void> | undefined;

  constructor(person: Person, url: string, history: History) {
    this.person = person;
    this.url = url;
    this.history = history;
  }

  open(): void {
    this.running = this.keepConnected();
  }

  /** Follows a squad from its beginning. */
  async enter(squadId: string): Promise<void> {
    this.squadId = squadId;
    this.received = [];
    this.revision = 0;
    if (this.client) await this.join(this.client).catch(() => this.client?.socket.terminate());
  }

  /** Sends a frame until it is acknowledged or refused, and records it. */
  async perform<Value>(
    kind: string,
    input: Record<string, unknown>,
    send: (client: SquadClient) => Promise<Value>,
    untilMillis = 60_000,
  ): Promise<Operation<Value>> {
    const operation = this.history.begin<Value>(this.person.name, kind, input);
    const until = Date.now() + untilMillis;
    while (operation.outcome === 'running') {
      const start = this.history.now();
      const { client } = this;
      try {
        if (!client) throw new SquadError({ code: 'NOT_CONNECTED', message: 'the socket is not open' });
        operation.value = await withinLimit(send(client));
        operation.attempts.push({ start, end: this.history.now(), status: 200 });
        operation.outcome = 'ok';
      } catch (error) {
        const code = error instanceof SquadError ? error.code : 'NO_ACK';
        const status = /^[A-Z_]+$/.test(code) && !NOT_ANSWERED.has(code) ? statusOf(code) : 0;
        // Waiting for the connection is no attempt: the reconnection has its own record.
        if (code !== 'NOT_CONNECTED')
          operation.attempts.push({ start, end: this.history.now(), status, code });
        if (status >= 400 && status < 500) {
          operation.outcome = 'refused';
          operation.code = code;
        } else if (Date.now() > until) operation.outcome = 'unknown';
        else await sleep(200);
        if (code === 'NO_ACK') client?.socket.terminate();
      }
    }
    this.history.finish(operation);
    return operation;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.client?.socket.terminate();
    await this.running;
  }

  private async keepConnected(): Promise<void> {
    while (!this.isClosed) {
      const start = this.history.now();
      const connected = await this.connect().catch((error: Error) => error);
      // Each attempt to connect counts as a request in the share of errors.
      const operation = this.history.begin(this.person.name, 'connect', {});
      operation.start = start;
      const failed = connected instanceof Error;
      operation.outcome = failed ? 'unknown' : 'ok';
      operation.attempts.push({
        start,
        end: this.history.now(),
        status: failed ? 0 : 200,
        ...(failed && { code: connected.message.slice(0, 80) }),
      });
      this.history.finish(operation);
      if (connected instanceof SquadClient) {
        this.client = connected;
        await connected.closed;
        this.client = undefined;
      } else await sleep(200);
    }
  }

  private async connect(): Promise<SquadClient> {
    let client: SquadClient | undefined;
    const connecting = SquadClient.connect({ url: this.url, token: this.person.token });
    connecting.catch(() => undefined);
    try {
      client = await withinLimit(connecting);
      client.on('squad_message', ({ message }) => {
        if (message.squadId === this.squadId) this.received.push(message.seq);
      });
      for (const event of ['squad_updated', 'squad_joined', 'squad_left'] as const)
        client.on(event, ({ squadId, revision }) => {
          if (squadId === this.squadId) this.revision = Math.max(this.revision, revision);
        });
      await withinLimit(client.send('user_online', { delta: true }));
      if (this.squadId) await this.join(client);
      return client;
    } catch (error) {
      client?.socket.terminate();
      void connecting.then(
        (late) => late.socket.terminate(),
        () => undefined,
      );
      throw error;
    }
  }

  private async join(client: SquadClient): Promise<void> {
    const squadId = this.squadId!;
    const { session } = await withinLimit(
      client.send('join_squad', {
        squadId,
        fromRevision: this.revision,
        fromMessage: this.received.at(-1) ?? 0,
      }),
    ).catch((error: Error) => {
      // The squad has ended meanwhile; the socket stays open for the next one.
      if (error instanceof SquadError && ['SQUAD_ENDED', 'NOT_FOUND'].includes(error.code))
        return { session: undefined };
      throw error;
    });
    if (session && squadId === this.squadId) this.revision = Math.max(this.revision, session.revision);
  }
}

/** Codes after which it is not known whether the frame was handled. */
const NOT_ANSWERED = new Set(['NO_ACK', 'NOT_CONNECTED']);

function withinLimit<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no ack within ${ACK_MILLIS} ms`)), ACK_MILLIS);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
