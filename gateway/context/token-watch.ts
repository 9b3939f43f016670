import { CHECK_SESSIONS_MILLIS } from '#server/auth/ended-sessions.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import type { KnownViewer, Viewer } from '#server/auth/viewer.ts';
import { MAX_TIMER_MILLIS } from '#server/durations.ts';

interface Watched {
  readonly viewer: KnownViewer;
  onInvalid(reason: string): void;
}

/** Watches the access tokens of open sockets and streams: they close when the token expires, or its session ends. */
export class TokenWatch {
  private readonly verifier: TokenVerifier;
  private readonly watched = new Set<Watched>();
  private readonly checking: NodeJS.Timeout;

  constructor(verifier: TokenVerifier) {
    this.verifier = verifier;
    this.checking = setInterval(() => void this.closeEnded(), CHECK_SESSIONS_MILLIS).unref();
  }

  /**
   * @param onInvalid called with a message for the client
   * @returns the function that ends the watch
   */
  watch(viewer: Viewer, onInvalid: (reason: string) => void): () => void {
    if (viewer.kind === 'anonymous') return () => undefined;
    const watched = { viewer, onInvalid };
    this.watched.add(watched);
    const expiry = setTimeout(
      () => onInvalid('The access token has expired; connect again with a new one.'),
      Math.min(viewer.expiresAt - Date.now(), MAX_TIMER_MILLIS),
    );
    return () => {
      clearTimeout(expiry);
      this.watched.delete(watched);
    };
  }

  stop(): void {
    clearInterval(this.checking);
  }

  private async closeEnded(): Promise<void> {
    for (const { viewer, onInvalid } of this.watched)
      if (!(await this.verifier.isStillValid(viewer)))
        onInvalid('The access token is no longer valid; connect again with a new one.');
  }
}
