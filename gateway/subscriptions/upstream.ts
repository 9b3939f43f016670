import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import type { Client, SubscribePayload } from 'graphql-ws';

/** Who hears an upstream subscription. */
export interface UpstreamListener {
  onEvent(event: ExecutionResult): void;
  onFailed(error: GraphQLError): void;
  onEnded(): void;
}

/** A subscription at the subgraph that owns it, shared by all that ask for the same in the same viewer's name. */
export class Upstream {
  private readonly listeners = new Set<UpstreamListener>();
  private readonly unsubscribe: () => void;
  private readonly onIdle: () => void;

  /** @param onIdle called once, when nobody listens any more or it has ended. */
  constructor(client: Client, payload: SubscribePayload, onIdle: () => void) {
    this.onIdle = onIdle;
    this.unsubscribe = client.subscribe(payload, {
      next: (event) => {
        for (const listener of this.listeners) listener.onEvent(event as ExecutionResult);
      },
      error: (cause) => this.over((listener) => listener.onFailed(failureOf(cause))),
      complete: () => this.over((listener) => listener.onEnded()),
    });
  }

  add(listener: UpstreamListener): void {
    this.listeners.add(listener);
  }

  /** The last one out unsubscribes. */
  remove(listener: UpstreamListener): void {
    if (!this.listeners.delete(listener) || this.listeners.size > 0) return;
    this.onIdle();
    this.unsubscribe();
  }

  private over(tell: (listener: UpstreamListener) => void): void {
    this.onIdle();
    const listeners = [...this.listeners];
    this.listeners.clear();
    listeners.forEach(tell);
  }
}

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
