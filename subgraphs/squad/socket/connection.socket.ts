import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { CHECK_SESSIONS_MILLIS } from '#server/auth/ended-sessions.ts';
import { viewerOf } from '#server/auth/authenticate.ts';
import type { UserViewer } from '#server/auth/viewer.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { PlatformError, socketError, unauthenticated } from '#server/errors.ts';
import type { SocketHost } from '#server/define-subgraph.ts';
import { validated } from '#server/validate.ts';
import { within } from '#server/observability/tracing.ts';
import { newPace } from '../presence/board-listener.ts';
import { watchModule } from '../presence/module-watch.ts';
import type { ClassSessionShape } from '../class-sessions/class-sessions.shapes.ts';
import type { OnlineUsersUpdate } from '../presence/presence.shapes.ts';
import type { SquadResources, SquadServices } from '../services.ts';
import { Cleanups } from './cleanups.ts';
import type { SocketEvents } from './events.socket.ts';
import { CloseCode } from './close-codes.ts';
import { FrameRate } from './frame-rate.ts';
import { ackText, frameText, onlineUsersFrame } from './frames.ts';
import { frameOf, idIn, idOf, jsonOf, type FrameId, type IncomingFrame } from './incoming-frames.ts';

export interface SocketSettings {
  /** A socket that has not authenticated itself after this time is closed. */
  authenticateWithinMillis: number;
  /** The time between two pings. A socket that has not answered the previous ping is ended. */
  heartbeatMillis: number;
  /** The maximum number of frames per second that a socket may send; undefined if there is no limit. */
  framesPerSecond: number | undefined;
}

/** If more bytes than this wait to be read, no presence is sent; the whole list follows once the client has read them. */
const PRESENCE_WAITS_ABOVE_BYTES = 256 * 1024;
/** If more bytes than this wait to be read, the socket is closed; the client connects again and asks for what it has missed. */
const CLOSE_ABOVE_BYTES = 2 * 1024 * 1024;
/** The maximum number of frames that wait until the previous one is answered. */
const MAX_WAITING_FRAMES = 100;

/** Cleanups of the connection itself. All others belong to pushes, which end if the gym switches the module off. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
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

const authenticateShape = z.object({ token: z.string('expected an access token') });

/** One client's socket. It handles the frames in order, one at a time, sends answers and pushes, and enforces the limits. */
export class SocketConnection {
  /** Stays the same for the whole connection, so that `seq` continues if the client sends `user_online` again. */
  readonly presencePace = newPace();
  private state: State = { name: 'waiting' };
  private readonly socket: WebSocket;
  private readonly host: SocketHost<SquadServices, SquadResources>;
  private readonly events: SocketEvents;
  private readonly settings: SocketSettings;
  private readonly rate: FrameRate;
  private readonly cleanups = new Cleanups();
  /** The number of the last `class_session_changed`. */
  private classSessionSeq = 0;
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
    // ws closes the socket itself: with 1009 if a frame is too large, 1002 after a protocol error, 1007 after invalid UTF-8.
    socket.on('error', () => undefined);
    socket.once('close', () => this.onClose());
    socket.on('pong', () => (this.isAlive = true));
    socket.on('message', (bytes: Buffer, isBinary) => this.receive(bytes, isBinary));
    this.cleanups.keepTimer(
      'heartbeat',
      setInterval(() => this.beat(), settings.heartbeatMillis),
    );
    this.cleanups.keepTimer(
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

  /** Calls `end` when the connection ends, or when another function is added under the same name. */
  keep(name: string, end: () => void): void {
    this.cleanups.keep(name, end);
  }

  release(name: string): void {
    this.cleanups.release(name);
  }

  /** Sends a frame that must not be left out: if the client reads too slowly, the socket is closed instead. */
  push(event: string, data: object, seq: number): void {
    // `sending` measures the delay from a change to its frame. This is left out while a frame of the client is answered, which may
    // ask for old events, such as missed messages or open invites.
    const sent = this.waitingFrames === 0 ? this.host.sending(event) : undefined;
    this.send(frameText({ event, data, seq }), sent);
  }

  /** Returns false if the update is left out because the client reads too slowly: a whole list has to follow later. */
  pushPresence(update: OnlineUsersUpdate): boolean {
    if (this.socket.bufferedAmount > PRESENCE_WAITS_ABOVE_BYTES) return false;
    this.send(onlineUsersFrame(update));
    return true;
  }

  close(code: CloseCode, reason: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.close(code, reason);
    // A client that has stopped reading would never answer the close.
    setTimeout(() => this.socket.terminate(), 1_000).unref(); // 1 s
  }

  private receive(bytes: Buffer, isBinary: boolean): void {
    if (this.state.name === 'closed') return;
    const tooManyWait = this.waitingFrames >= MAX_WAITING_FRAMES;
    const action = tooManyWait ? this.rate.countRefused(bytes.length) : this.rate.count(bytes.length);
    if (action === 'close') return this.close(CloseCode.RATE_LIMITED, 'too many frames');
    if (action === 'refuse') {
      const id = idIn(bytes, isBinary);
      if (id !== undefined || this.rate.allowsErrorWithoutId())
        this.sendError(id, tooManyWait ? tooManyWaitingFrames() : tooManyFrames(this.settings));
      return;
    }
    this.enqueue(async () => {
      let id: FrameId;
      try {
        const json = jsonOf(bytes, isBinary);
        id = idOf(json);
        const data = await this.answer(frameOf(json));
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

  private async answer({ event, data = {} }: IncomingFrame): Promise<object> {
    if (event === 'authenticate')
      return this.authenticate(`Bearer ${validated(authenticateShape, data).token}`);
    if (this.state.name !== 'authenticated')
      throw unauthenticated(
        `Send {"event": "authenticate", "data": {"token"}} first; until then "${event}" is refused.`,
      );
    const handler = Object.hasOwn(this.events, event) ? this.events[event] : undefined;
    if (!handler)
      throw new PlatformError(
        'UNKNOWN_EVENT',
        `There is no event "${event}"; expected authenticate, ${Object.keys(this.events).join(', ')}.`,
      );
    const { viewer, authorization } = this.state;
    return within(this.host.begin(event), async () => {
      await viewerOf(authorization, this.host.verifier); // the session may have ended meanwhile
      return handler(data, this.host.servicesOf(viewer, authorization), this);
    });
  }

  /** Authenticates the socket, or renews its token; user and gym must stay the same. */
  private async authenticate(authorization: string): Promise<{ userId: string; expiresAt: string }> {
    const viewer = await viewerOf(authorization, this.host.verifier);
    if (viewer.kind !== 'user') throw unauthenticated('Expected the access token of a user.');
    if (this.state.name === 'closed') throw unauthenticated('The socket is closed.');
    const before = this.state.name === 'authenticated' ? this.state.viewer : undefined;
    if (before && (before.userId !== viewer.userId || before.gymId !== viewer.gymId))
      throw unauthenticated('This socket belongs to another user or gym; open a new one.');
    if (!before) this.countSocketOf(viewer.userId);
    this.state = { name: 'authenticated', viewer, authorization };
    this.release('authenticate');
    this.cleanups.keepTimer(
      'expiry',
      setTimeout(
        () => this.close(CloseCode.TOKEN_EXPIRED, 'the token has expired'),
        Math.min(viewer.expiresAt - Date.now(), 2 ** 31 - 1),
      ),
    );
    if (!before) await this.begin(viewer, authorization);
    return { userId: viewer.userId, expiresAt: new Date(viewer.expiresAt).toISOString() };
  }

  /** @throws RATE_LIMITED, and closes the socket, if the user has too many sockets */
  private countSocketOf(userId: string): void {
    const { userSockets } = this.host.resources;
    if (userSockets.enter(userId)) return this.keep('count', () => userSockets.leave(userId));
    this.close(CloseCode.TOO_MANY_SOCKETS, 'this user has too many sockets');
    throw new PlatformError('RATE_LIMITED', 'You have too many sockets open; close one of them.');
  }

  private async begin(viewer: UserViewer, authorization: string): Promise<void> {
    this.cleanups.keepTimer(
      'session',
      setInterval(() => void this.checkSession(), CHECK_SESSIONS_MILLIS),
    );
    const services = this.host.servicesOf(viewer, authorization);
    this.keep(
      'module',
      watchModule(services.onlineUsers, {
        // Only the pushes have to end here: the rules themselves refuse the client's frames.
        onOff: () => this.cleanups.releaseAllBut(OF_CONNECTION),
        onOn: () =>
          void this.beginPushes(services).catch((error: unknown) =>
            this.host.log.warn({ err: error }, 'a socket gets no invites yet; the next check tries again'),
          ),
      }),
    );
    await this.beginPushes(services);
  }

  /** Begins the pushes that a client does not ask for, also after a module was switched off and on again. */
  private async beginPushes(services: SquadServices): Promise<void> {
    const { onlineUsers, invites } = services;
    if (!this.cleanups.has('connection')) this.keep('connection', await onlineUsers.connect());
    await this.beginClassSessions(services);
    if (this.cleanups.has('invites')) return;
    const stop = await invites.watch({
      onReceived: (invite, seq) => this.push('squad_invite_received', { invite }, seq),
      onUpdated: (invite, seq) => this.push('squad_invite_updated', { invite }, seq),
    });
    this.keep('invites', stop);
  }

  /** Begins to push the changes of class sessions, if the gym has switched their module on. */
  private async beginClassSessions({ classSessions }: SquadServices): Promise<void> {
    if (this.cleanups.has('classes')) return;
    const push = (session: ClassSessionShape): void =>
      this.send(
        frameText({ event: 'class_session_changed', data: { session }, seq: (this.classSessionSeq += 1) }),
      );
    try {
      const stop = await classSessions.watch((session) => {
        // The switch may have changed since the last event.
        void classSessions.requireSwitchedOn().then(
          () => push(session),
          () => undefined,
        );
      });
      this.keep('classes', stop);
    } catch (error) {
      if (!(error instanceof PlatformError && error.code === 'FEATURE_DISABLED')) throw error;
    }
  }

  private async checkSession(): Promise<void> {
    if (this.state.name !== 'authenticated') return;
    try {
      await viewerOf(this.state.authorization, this.host.verifier);
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'UNAUTHENTICATED')
        this.close(CloseCode.TOKEN_EXPIRED, 'the token has expired, or its session has ended');
    }
  }

  /**
   * Reports why the authentication with the token in the header has failed. As after a frame `authenticate`, the socket
   * stays open if the token is valid, for example if the gym has switched the module off.
   */
  private refuse(error: unknown): void {
    this.sendError(undefined, error);
    if (this.state.name === 'authenticated') return;
    if (error instanceof PlatformError && error.code === 'UNAUTHENTICATED')
      this.close(CloseCode.UNAUTHENTICATED, 'the token is not valid');
    else this.close(CloseCode.TRY_AGAIN_LATER, 'the token cannot be checked now');
  }

  private beat(): void {
    if (!this.isAlive) return this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  /** @param onSent called when the frame is written */
  private send(text: string | Buffer, onSent?: () => void): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.socket.bufferedAmount > CLOSE_ABOVE_BYTES)
      return this.close(CloseCode.SLOW_CONSUMER, 'reads too slowly; connect again and replay');
    this.socket.send(text, { binary: false }, (error) => {
      if (!error) onSent?.();
    });
  }

  private sendError(id: FrameId, thrown: unknown): void {
    const error = refusalOfDatabase(thrown) ?? thrown; // for example if the disk is full
    if (!(error instanceof PlatformError) || error.status >= 500)
      this.host.log.error(
        { err: error instanceof PlatformError ? (error.cause ?? error) : error },
        'a socket frame failed',
      );
    this.send(frameText({ event: 'error', ...(id !== undefined && { id }), data: socketError(error) }));
  }

  private onClose(): void {
    this.state = { name: 'closed' };
    this.cleanups.releaseAll();
  }
}

const tooManyFrames = ({ framesPerSecond }: SocketSettings): PlatformError =>
  new PlatformError(
    'RATE_LIMITED',
    `Expected at most ${framesPerSecond} frames per second; further frames of this second are refused.`,
  );
const tooManyWaitingFrames = (): PlatformError =>
  new PlatformError(
    'RATE_LIMITED',
    `Expected at most ${MAX_WAITING_FRAMES} frames without an answer; wait for the answers before you send more.`,
  );
