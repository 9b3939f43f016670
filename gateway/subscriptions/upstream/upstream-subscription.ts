import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import type { EventKind } from '#server/event-kind.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { clientError } from '../../response/client-error.ts';
import type { CallerTokens } from './caller-tokens.ts';
import { AudienceMembers, type Membership } from './audience-members.ts';
import type { UpstreamSocket } from './upstream-sockets.ts';

export interface UpstreamListener {
  /**
   * @param kind undefined if the subgraph does not say
   * @param addressee the only member of the audience who gets it; undefined: all eligible members
   */
  onEvent(event: ExecutionResult, kind: EventKind | undefined, addressee?: Membership): void;
  /** Events may have been missed; the next one contains the whole state. */
  onReset(): void;
  onFailed(error: GraphQLError): void;
  onEnded(): void;
}

interface UpstreamOptions {
  socket: UpstreamSocket;
  query: string;
  variables: Record<string, unknown>;
  /** The tokens of the subscribers that share it; if the subgraph refuses a token, another one is used. */
  tokens: CallerTokens;
  /** Whether it is shared by an audience. */
  isShared: boolean;
  log: Logger;
  /** Called once, when it has no listeners any more or has ended. */
  onIdle(): void;
}

/** The maximum number of events that are kept for listeners that join later. After more, the whole state is requested. */
export const MAX_HISTORY = 20;

/** A subscription at the subgraph that owns the field, shared by equal client subscriptions with the same rights. */
export class UpstreamSubscription {
  /** Absent if it is not shared by an audience. */
  readonly audience: AudienceMembers | undefined;
  private readonly options: UpstreamOptions;
  private readonly listeners = new Set<UpstreamListener>();
  private readonly stopListening: () => void;
  /** The last event with the whole state and those after it; empty if there is none, or if too many followed. */
  private history: { event: ExecutionResult; kind: EventKind }[] = [];
  private hasState = false;
  private isStateRequested = false;
  private isSequence = false;
  private unsubscribe: () => void = () => undefined;
  private usedToken: GatewayContext | undefined;
  private isOver = false;

  constructor(options: UpstreamOptions) {
    this.options = options;
    const { socket, tokens } = options;
    const onConnected = () => this.reset();
    this.audience = options.isShared ? new AudienceMembers(socket, tokens, onConnected) : undefined;
    const stopConnected = this.audience ? () => undefined : socket.client.on('connected', onConnected);
    const stopRemoved = tokens.onRemoved((context) => {
      if (context === this.usedToken && tokens.longestValid) {
        this.usedToken = tokens.longestValid;
        this.audience?.renewToken();
      }
    });
    this.stopListening = () => {
      stopConnected();
      stopRemoved();
    };
    this.open();
  }

  /** False for a sequence of events that began for one subscription: a later listener would miss its beginning. */
  get acceptsLateListeners(): boolean {
    return !this.isSequence;
  }

  /** The listener first receives the current state. */
  add(listener: UpstreamListener): void {
    this.listeners.add(listener);
    for (const { event, kind } of this.history) listener.onEvent(event, kind);
    if (this.history.length === 0) this.requestWholeState();
  }

  /** Removes the listener. Without listeners the subscription at the subgraph ends. */
  remove(listener: UpstreamListener): void {
    if (!this.listeners.delete(listener) || this.listeners.size > 0 || this.isOver) return;
    this.close();
    this.unsubscribe();
  }

  /** Makes the subgraph send the whole state with the next event, for listeners that joined later. */
  requestWholeState(): void {
    if (!this.hasState || this.isStateRequested) return;
    this.isStateRequested = true;
    if (this.audience) this.audience.requestWholeState();
    else this.reopen();
  }

  private open(): void {
    const { socket, query, variables, tokens } = this.options;
    const { audience } = this;
    const token = () => (this.usedToken = tokens.longestValid)?.authorization;
    // The values are getters, because graphql-ws sends the message again after every reconnect.
    const extensions = {
      get authorization() {
        return token();
      },
      ...(audience && {
        audience: {
          get id() {
            return audience.id;
          },
        },
      }),
    };
    let isCurrent = true;
    const unsubscribe = socket.client.subscribe(
      { query, variables, extensions },
      {
        next: (event) => isCurrent && this.onResult(event as ExecutionResult),
        error: (cause) => isCurrent && this.fail(cause),
        complete: () => isCurrent && this.end((listener) => listener.onEnded()),
      },
    );
    this.unsubscribe = () => {
      isCurrent = false;
      unsubscribe();
    };
  }

  private reopen(): void {
    this.unsubscribe();
    this.audience?.restart();
    this.reset();
    this.open();
  }

  private onResult(event: ExecutionResult): void {
    const { audience: decision } = event.extensions ?? {};
    if (decision !== undefined) this.audience?.onDecision(decision);
    if (event.data === undefined && event.errors === undefined) return;
    // Errors without data are not an event: the subgraph refuses the subscription, or the token has expired.
    if (event.data === undefined || (event.data === null && isTokenRefused(event.errors)))
      return this.fail(event.errors);
    const kind = this.kindOf(event);
    const { to } = event.extensions ?? {};
    const addressee = this.audience?.addressee(to);
    if (to !== undefined && !addressee) return;
    if (!addressee) this.keep(event, kind);
    for (const listener of this.listeners) listener.onEvent(event, kind, addressee);
  }

  /** Without a kind, the event of an audience contains the whole state (PROTOCOL.md). */
  private kindOf({ extensions }: ExecutionResult): EventKind | undefined {
    const kind = extensions?.event;
    if (kind === 'whole' || kind === 'partial' || kind === 'next') return kind;
    return this.audience && 'whole';
  }

  private keep(event: ExecutionResult, kind: EventKind | undefined): void {
    this.isSequence ||= kind === 'next';
    if (kind === 'whole') {
      this.history = [{ event: withoutCause(event), kind }];
      this.hasState = true;
      this.isStateRequested = false;
    } else if (kind === 'partial' && this.history.length > 0)
      this.history =
        this.history.length < MAX_HISTORY ? [...this.history, { event: withoutCause(event), kind }] : [];
  }

  private fail(cause: unknown): void {
    if (isTokenRefused(cause) && this.usedToken) {
      this.options.tokens.removeRefused(this.usedToken);
      if (this.options.tokens.longestValid) return this.reopen();
    }
    this.unsubscribe();
    this.end((listener) => listener.onFailed(clientError(failureOf(cause), this.options.log)));
  }

  private reset(): void {
    this.history = [];
    this.hasState = false;
    this.isStateRequested = false;
    for (const listener of this.listeners) listener.onReset();
  }

  private end(notify: (listener: UpstreamListener) => void): void {
    if (this.isOver) return;
    this.close();
    const listeners = [...this.listeners];
    this.listeners.clear();
    listeners.forEach(notify);
  }

  private close(): void {
    this.isOver = true;
    this.stopListening();
    this.audience?.stop();
    this.options.onIdle();
  }
}

/** An event for listeners that join later. They get it as the state of now, so no delay since its cause is measured. */
function withoutCause(event: ExecutionResult): ExecutionResult {
  if (event.extensions?.cause === undefined) return event;
  const { cause: _cause, ...extensions } = event.extensions;
  return { ...event, extensions };
}

/** Whether the subgraph refused the token, so that another subscriber's token may succeed. */
const isTokenRefused = (cause: unknown): boolean =>
  Array.isArray(cause) &&
  (cause as GraphQLFormattedError[]).some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');

/** The subgraph's error, or an error for the loss of its socket. */
function failureOf(cause: unknown): GraphQLError {
  const [first] = Array.isArray(cause) ? (cause as GraphQLFormattedError[]) : [];
  if (first)
    return new GraphQLError(first.message, {
      path: first.path,
      extensions: { ...first.extensions, serviceName: 'upstream' },
    });
  return new GraphQLError('The service behind this subscription does not answer; subscribe again.', {
    extensions: { code: 'UPSTREAM_UNAVAILABLE' },
  });
}
