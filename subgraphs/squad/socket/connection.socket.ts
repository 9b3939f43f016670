import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { CHECK_SESSIONS_MILLIS } from '#server/auth/ended-sessions.ts';
import { viewerOf } from '#server/auth/authenticate.ts';
import type { UserViewer, Viewer } from '#server/auth/viewer.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { invalid, PlatformError, socketError, unauthenticated } from '#server/errors.ts';
import type { SocketHost } from '#server/define-subgraph.ts';
import { validated } from '#server/validate.ts';
import { newPace } from '../presence/gym-board.ts';
import { watchModule } from '../presence/module-watch.ts';
import type { OnlineUsersUpdate } from '../presence/presence.shapes.ts';
import type { SquadResources, SquadServices } from '../services.ts';
import type { SocketEvents } from './events.socket.ts';
import { CloseCode } from './close-codes.ts';
import { FrameRate } from './frame-rate.ts';
import { ackText, frameText, onlineUsersFrame } from './frames.ts';

export interface SocketSettings {
  /** How long a socket may stay without a token. */
  authenticateWithinMillis: number;
  /** A ping so often; a socket that did not answer the one before is ended. */
  heartbeatMillis: number;
  /** Frames a second a socket may send; undefined: unlimited. */
  framesPerSecond: number | undefined;
}

/** Above it, presence waits for the reader and comes as one whole list when they have caught up. */
const PRESENCE_WAITS_ABOVE_BYTES = 256 * 1024;
/** Above it the reader is too slow for what may not be left out: the socket is closed, the client returns and replays. */
const CLOSE_ABOVE_BYTES = 2 * 1024 * 1024;
/** Frames that wait for the one before them to be answered. */
const MAX_WAITING_FRAMES = 100;

/** What is kept of the connection itself; all else is what a module pushes. */
const OWN_MATTERS: ReadonlySet<string> = new Set([
  'heartbeat',
  'authenticate',
  'expiry',
  'count',
  'session',
  'connection',
  'module',
]);

type State =
  | { name: 'waiting' }
  | { name: 'authenticated'; viewer: UserViewer; authorization: string }
  | { name: 'closed' };

const frameShape = z.object({
  event: z.string('expected the name of an event').max(60),
  data: z.unknown().optional(),
  id: z.union([z.string().max(100), z.number()], 'expected a text or a number').optional(),
});
type Frame = z.infer<typeof frameShape>;
const authenticateShape = z.object({ token: z.string('expected an access token') });

/** One client's socket: frames in order, one at a time; answers, pushes, heartbeat, limits. */
export class SocketConnection {
  /** Numbers go on when the client announces itself a second time. */
  readonly presencePace = newPace();
  private state: State = { name: 'waiting' };
  private readonly socket: WebSocket;
  private readonly host: SocketHost<SquadServices, SquadResources>;
  private readonly events: SocketEvents;
  private readonly settings: SocketSettings;
  private readonly rate: FrameRate;
  /** What ends with the connection, by name: listeners, counts, timers. */
  private readonly kept = new Map<string, () => void>();
  private working: Promise<void> = Promise.resolve();
  private waitingFrames = 0;
  private isAlive = true;

  /** Serves the socket until it closes. */
  static serve(...args: ConstructorParameters<typeof SocketConnection>): void {
    void new SocketConnection(...args);
  }

  constructor(
    socket: WebSocket,
    request: IncomingMessage,
    host: SocketHost<SquadServices, SquadResources>,
    events: SocketEvents,
    settings: SocketSettings,
  ) {
    this.socket = socket;
    this.host = host;
    this.events = events;
    this.settings = settings;
    this.rate = new FrameRate(settings.framesPerSecond);
    socket.on('error', () => undefined); // ws closes by itself: 1009 for a frame too large, 1002, 1007
    socket.once('close', () => this.end());
    socket.on('pong', () => (this.isAlive = true));
    socket.on('message', (bytes: Buffer, isBinary) => this.receive(bytes, isBinary));
    this.keepTimer(
      'heartbeat',
      setInterval(() => this.beat(), settings.heartbeatMillis),
    );
    this.keepTimer(
      'authenticate',
      setTimeout(
        () => this.close(CloseCode.UNAUTHENTICATED, 'no token came in time'),
        settings.authenticateWithinMillis,
      ),
    );
    const { authorization } = request.headers;
    if (authorization)
      this.enqueue(
        async () =>
          void (await this.authenticate(authorization).catch((error: unknown) => this.refuse(error))),
      );
  }

  get userId(): string | undefined {
    return this.state.name === 'authenticated' ? this.state.viewer.userId : undefined;
  }

  /** Runs `end` when the connection ends, or when something else is kept under the same name. */
  keep(name: string, end: () => void): void {
    this.release(name);
    if (this.state.name === 'closed') end();
    else this.kept.set(name, end);
  }

  /** Ends whatever the gym's module has begun to push; the client's frames are refused by the rules themselves. */
  private releasePushes(): void {
    for (const name of this.kept.keys()) if (!OWN_MATTERS.has(name)) this.release(name);
  }

  release(name: string): void {
    const end = this.kept.get(name);
    this.kept.delete(name);
    end?.();
  }

  /** Sends what may not be left out. */
  push(event: string, data: object, seq: number): void {
    this.send(frameText({ event, data, seq }));
  }

  /** Sends presence as far as the reader keeps up. False: it was left out, and has to come as a whole list later. */
  pushPresence(update: OnlineUsersUpdate): boolean {
    if (this.socket.bufferedAmount > PRESENCE_WAITS_ABOVE_BYTES) return false;
    this.send(onlineUsersFrame(update));
    return true;
  }

  close(code: CloseCode, reason: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.close(code, reason);
    // A peer that does not read does not answer the close either.
    setTimeout(() => this.socket.terminate(), 1_000).unref(); // 1 s
  }

  private receive(bytes: Buffer, isBinary: boolean): void {
    if (this.state.name === 'closed') return;
    const verdict = this.waitingFrames >= MAX_WAITING_FRAMES ? this.rate.refused() : this.rate.next();
    if (verdict === 'close') return this.close(CloseCode.RATE_LIMITED, 'too many frames');
    if (verdict === 'drop') return;
    if (verdict === 'refuse')
      return this.sendError(
        undefined,
        new PlatformError(
          'RATE_LIMITED',
          `Expected at most ${this.settings.framesPerSecond} frames a second; the rest of this second is not heard.`,
        ),
      );
    this.enqueue(async () => {
      let id: Frame['id'];
      try {
        if (isBinary) throw invalid('', 'expected a text frame, got a binary one');
        const json = jsonOf(bytes);
        id = idOf(json);
        const data = await this.answer(validated(frameShape, json));
        if (id !== undefined) this.send(ackText(id, data));
      } catch (error) {
        this.sendError(id, error);
      }
    });
  }

  private enqueue(work: () => Promise<void>): void {
    this.waitingFrames += 1;
    this.working = this.working.then(work).finally(() => (this.waitingFrames -= 1));
  }

  private async answer({ event, data = {} }: Frame): Promise<object> {
    if (event === 'authenticate')
      return this.authenticate(`Bearer ${validated(authenticateShape, data).token}`);
    if (this.state.name !== 'authenticated')
      throw unauthenticated(
        `Send {"event": "authenticate", "data": {"token"}} first; until then "${event}" is not heard.`,
      );
    const handler = Object.hasOwn(this.events, event) ? this.events[event] : undefined;
    if (!handler)
      throw new PlatformError(
        'UNKNOWN_EVENT',
        `There is no event "${event}"; expected authenticate, ${Object.keys(this.events).join(', ')}.`,
      );
    await viewerOf(this.state.authorization, this.host.verifier); // the log-in may have been ended meanwhile
    return handler(data, this.host.servicesOf(this.state.viewer, this.state.authorization), this);
  }

  /** Also renews the token of an open socket; it stays that user's. */
  private async authenticate(authorization: string): Promise<{ userId: string; expiresAt: string }> {
    const viewer: Viewer = await viewerOf(authorization, this.host.verifier);
    if (viewer.kind !== 'user') throw unauthenticated('Expected the access token of a user.');
    if (this.state.name === 'closed') throw unauthenticated('The socket is closed.');
    const before = this.state.name === 'authenticated' ? this.state.viewer : undefined;
    if (before && (before.userId !== viewer.userId || before.gymId !== viewer.gymId))
      throw unauthenticated('This socket belongs to another user or gym; open a new one.');
    if (!before) this.countFor(viewer.userId);
    this.state = { name: 'authenticated', viewer, authorization };
    this.release('authenticate');
    this.keepTimer(
      'expiry',
      setTimeout(
        () => this.close(CloseCode.TOKEN_EXPIRED, 'the token has expired'),
        Math.min(viewer.expiresAt - Date.now(), 2 ** 31 - 1),
      ),
    );
    if (!before) await this.begin(viewer, authorization);
    return { userId: viewer.userId, expiresAt: new Date(viewer.expiresAt).toISOString() };
  }

  /** @throws RATE_LIMITED, and closes the socket, if the user has too many */
  private countFor(userId: string): void {
    const { userSockets } = this.host.resources;
    if (userSockets.enter(userId)) return this.keep('count', () => userSockets.leave(userId));
    this.close(CloseCode.TOO_MANY_SOCKETS, 'this user has too many sockets');
    throw new PlatformError('RATE_LIMITED', 'You have too many sockets open; close one of them.');
  }

  private async begin(viewer: UserViewer, authorization: string): Promise<void> {
    this.keepTimer(
      'session',
      setInterval(() => void this.checkSession(), CHECK_SESSIONS_MILLIS),
    );
    const services = this.host.servicesOf(viewer, authorization);
    this.keep(
      'module',
      watchModule(services.onlineUsers, {
        onOff: () => this.releasePushes(),
        onOn: () =>
          void this.beginPushes(services).catch((error: unknown) =>
            this.host.log.warn({ err: error }, 'a socket waits for its invites; it is tried again'),
          ),
      }),
    );
    await this.beginPushes(services);
  }

  /** What is pushed without being asked for; it begins again after the module was switched off. */
  private async beginPushes({ onlineUsers, invites }: SquadServices): Promise<void> {
    if (!this.kept.has('connection')) this.keep('connection', await onlineUsers.connect());
    if (this.kept.has('invites')) return;
    const stop = await invites.watch({
      onReceived: (invite, seq) => this.push('squad_invite_received', { invite }, seq),
      onUpdated: (invite, seq) => this.push('squad_invite_updated', { invite }, seq),
    });
    this.keep('invites', stop);
  }

  private async checkSession(): Promise<void> {
    if (this.state.name !== 'authenticated') return;
    try {
      await viewerOf(this.state.authorization, this.host.verifier);
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'UNAUTHENTICATED')
        this.close(CloseCode.TOKEN_EXPIRED, 'the token has expired, or its log-in was ended');
    }
  }

  private refuse(error: unknown): void {
    this.sendError(undefined, error);
    this.close(CloseCode.UNAUTHENTICATED, 'the token is not valid');
  }

  private beat(): void {
    if (!this.isAlive) return this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  private send(text: string | Buffer): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.socket.bufferedAmount > CLOSE_ABOVE_BYTES)
      return this.close(CloseCode.SLOW_CONSUMER, 'reads too slowly; connect again and replay');
    this.socket.send(text, { binary: false });
  }

  private sendError(id: Frame['id'], thrown: unknown): void {
    const error = refusalOfDatabase(thrown) ?? thrown; // also a disk that is full
    if (!(error instanceof PlatformError) || error.status >= 500)
      this.host.log.error(
        { err: error instanceof PlatformError ? (error.cause ?? error) : error },
        'a socket frame failed',
      );
    this.send(frameText({ event: 'error', ...(id !== undefined && { id }), data: socketError(error) }));
  }

  private keepTimer(name: string, timer: NodeJS.Timeout): void {
    timer.unref();
    this.keep(name, () => clearInterval(timer));
  }

  private end(): void {
    this.state = { name: 'closed' };
    for (const name of this.kept.keys()) this.release(name);
  }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid('', 'expected a JSON text such as {"event": "user_online", "data": {}, "id": 1}');
  }
}

/** The id of a frame that is wrong otherwise, so that its error can be matched. */
function idOf(json: unknown): Frame['id'] {
  const id = typeof json === 'object' && json !== null && 'id' in json ? json.id : undefined;
  return typeof id === 'number' || (typeof id === 'string' && id.length <= 100) ? id : undefined;
}
