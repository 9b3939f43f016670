import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import type { Logger } from '#server/observability/logger.ts';
import type { EventKind } from '#server/event-kind.ts';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { Cohort } from './cohort.ts';
import { clientError } from '../client-error.ts';
import type { CallerTokens } from './caller-tokens.ts';
import type { UpstreamSocket } from './upstream-sockets.ts';

/** Who hears an upstream subscription. */
export interface UpstreamListener {
  /** @param kind undefined where the subgraph does not say */
  onEvent(event: ExecutionResult, kind: EventKind | undefined): void;
  /** Events may have been missed; the next one holds the whole state. */
  onReset(): void;
  onFailed(error: GraphQLError): void;
  onEnded(): void;
}

export interface UpstreamOptions {
  socket: UpstreamSocket;
  query: string;
  variables: Record<string, unknown>;
  /** Of those who share it; a token that the subgraph does not take is replaced by another's. */
  tokens: CallerTokens;
  /** Whether it stands for a whole audience. */
  isShared: boolean;
  log: Logger;
  /** Called once, when nobody listens any more or it has ended. */
  onIdle(): void;
}

/** Events that are kept for late-comers where each adds to those before it; then the whole state is asked for anew. */
export const MAX_HISTORY = 20;

/** A subscription at the subgraph that owns it, shared by all that ask for the same with the same rights. */
export class UpstreamSubscription {
  /** Set where it stands for one. */
  readonly audience: Cohort | undefined;
  private readonly options: UpstreamOptions;
  private readonly listeners = new Set<UpstreamListener>();
  private readonly stopListening: () => void;
  /** The last event that holds the whole state, and those after it; empty where there is none, or too many followed. */
  private history: { event: ExecutionResult; kind: EventKind }[] = [];
  private hasState = false;
  private isAsking = false;
  private isSequence = false;
  private unsubscribe: () => void = () => undefined;
  private used: GatewayContext | undefined;
  private isOver = false;

  constructor(options: UpstreamOptions) {
    this.options = options;
    const { socket, tokens } = options;
    const onConnected = () => this.reset();
    this.audience = options.isShared ? new Cohort(socket, tokens, onConnected) : undefined;
    const stopConnected = this.audience ? () => undefined : socket.client.on('connected', onConnected);
    const stopGone = tokens.whenGone((context) => {
      if (context === this.used && tokens.lasting) {
        this.used = tokens.lasting;
        this.audience?.renewToken();
      }
    });
    this.stopListening = () => {
      stopConnected();
      stopGone();
    };
    this.open();
  }

  /** Whether it can be listened to although it has begun already. */
  get takesLate(): boolean {
    return !this.isSequence;
  }

  /** At first the listener hears the state as the others know it. */
  add(listener: UpstreamListener): void {
    this.listeners.add(listener);
    for (const { event, kind } of this.history) listener.onEvent(event, kind);
    if (this.history.length === 0) this.askAgain();
  }

  /** The last one out unsubscribes. */
  remove(listener: UpstreamListener): void {
    if (!this.listeners.delete(listener) || this.listeners.size > 0 || this.isOver) return;
    this.close();
    this.unsubscribe();
  }

  /** Has the next event hold the whole state, for who has come later. */
  askAgain(): void {
    if (!this.hasState || this.isAsking) return;
    this.isAsking = true;
    if (this.audience) this.audience.askAgain();
    else this.reopen();
  }

  private open(): void {
    const { socket, query, variables, tokens } = this.options;
    const { audience } = this;
    // Read again at every reconnect
    const token = () => (this.used = tokens.lasting)?.authorization;
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
        next: (event) => isCurrent && this.hear(event as ExecutionResult),
        error: (cause) => isCurrent && this.fail(cause),
        complete: () => isCurrent && this.over((listener) => listener.onEnded()),
      },
    );
    this.unsubscribe = () => {
      isCurrent = false;
      unsubscribe();
    };
  }

  private reopen(): void {
    this.unsubscribe();
    this.audience?.beginAnew();
    this.reset();
    this.open();
  }

  private hear(event: ExecutionResult): void {
    const { audience: notice } = event.extensions ?? {};
    if (notice !== undefined) this.audience?.hear(notice);
    if (event.data === undefined && event.errors === undefined) return;
    // Without data it is no event: the subgraph refuses, or the token has expired.
    if (event.data === undefined || (event.data === null && isRefusal(event.errors)))
      return this.fail(event.errors);
    const kind = this.kindOf(event);
    this.keep(event, kind);
    for (const listener of this.listeners) listener.onEvent(event, kind);
  }

  /** What an audience hears is a state by contract. */
  private kindOf({ extensions }: ExecutionResult): EventKind | undefined {
    const kind = extensions?.event;
    if (kind === 'whole' || kind === 'partial' || kind === 'next') return kind;
    return this.audience && 'whole';
  }

  private keep(event: ExecutionResult, kind: EventKind | undefined): void {
    this.isSequence ||= kind === 'next';
    if (kind === 'whole') {
      this.history = [{ event, kind }];
      this.hasState = true;
      this.isAsking = false;
    } else if (kind === 'partial' && this.history.length > 0)
      this.history = this.history.length < MAX_HISTORY ? [...this.history, { event, kind }] : [];
  }

  private fail(cause: unknown): void {
    if (isRefusal(cause) && this.used) {
      this.options.tokens.refuse(this.used);
      if (this.options.tokens.lasting) return this.reopen();
    }
    this.unsubscribe();
    this.over((listener) => listener.onFailed(clientError(failureOf(cause), this.options.log)));
  }

  private reset(): void {
    this.history = [];
    this.hasState = false;
    this.isAsking = false;
    for (const listener of this.listeners) listener.onReset();
  }

  private over(tell: (listener: UpstreamListener) => void): void {
    if (this.isOver) return;
    this.close();
    const listeners = [...this.listeners];
    this.listeners.clear();
    listeners.forEach(tell);
  }

  private close(): void {
    this.isOver = true;
    this.stopListening();
    this.audience?.stop();
    this.options.onIdle();
  }
}

/** The token holds no more: another's may. */
const isRefusal = (cause: unknown): boolean =>
  Array.isArray(cause) &&
  (cause as GraphQLFormattedError[]).some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');

/** The subgraph's own refusal, or the loss of its socket. */
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
