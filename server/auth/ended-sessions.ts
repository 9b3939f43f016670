import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../observability/logger.ts';
import type { ServiceTokens } from './service-tokens.ts';
import type { ServiceViewer, UserViewer } from './viewer.ts';

/** After this time a user who has logged out elsewhere gets nothing more over their sockets. */
export const SESSION_END_MILLIS = 5_000;
/** How often identity is asked which sessions have ended. */
export const READ_ENDED_SESSIONS_MILLIS = 2_000;
/**
 * How often every open socket and subscription is compared with them. Both times together are shorter than
 * `SESSION_END_MILLIS`, which leaves the rest for the request to identity.
 */
export const CHECK_SESSIONS_MILLIS = 2_500;

export interface EndedSessionsOptions {
  /** Identity's address. */
  identityUrl: string;
  tokens: ServiceTokens;
  log: Logger;
  /** Default `READ_ENDED_SESSIONS_MILLIS`. */
  pollMillis?: number;
  /** How many are remembered at most; beyond it the oldest are forgotten, with a warning. Default 200,000. */
  maxRemembered?: number;
}

/** What identity's `GET /auth/ended-sessions` answers. */
const feedAnswer = z.object({
  sessions: z.array(z.object({ id: z.string(), refusedUntil: z.iso.datetime() })),
  next: z.string(),
  more: z.boolean(),
});

/**
 * The sessions whose access tokens hold no more although they have not expired: ended ones, and those of users whose
 * rights changed. Read from identity every 2 s, so that a token is refused everywhere within 5 s.
 *
 * An entry lives no longer than the tokens that it refuses, 15 minutes. While identity does not answer, what is
 * known goes on to hold.
 */
export class EndedSessions {
  private readonly refusedUntil = new Map<string, number>();
  private readonly options: EndedSessionsOptions;
  private readonly stopped = new AbortController();
  private since: string | undefined;
  private isDown = false;

  constructor(options: EndedSessionsOptions) {
    this.options = options;
    void this.pollUntilStopped();
  }

  /** Whether this token is one of those; what `TokenVerifier` asks at every use. */
  readonly isRevoked = (viewer: UserViewer | ServiceViewer): boolean =>
    viewer.kind === 'user' && viewer.expiresAt < (this.refusedUntil.get(viewer.sessionId) ?? 0);

  stop(): void {
    this.stopped.abort();
  }

  private async pollUntilStopped(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      try {
        await this.poll();
        if (this.isDown) this.options.log.info('ended sessions are known again');
        this.isDown = false;
      } catch (error) {
        if (!this.isDown && !signal.aborted)
          this.options.log.warn(
            { err: error },
            'ended sessions cannot be read from identity; those known go on to be refused',
          );
        this.isDown = true;
      }
      await pause(this.options.pollMillis ?? READ_ENDED_SESSIONS_MILLIS, undefined, {
        signal,
        ref: false,
      }).catch(() => undefined);
    }
  }

  private async poll(): Promise<void> {
    this.forgetPast();
    for (let more = true; more && !this.stopped.signal.aborted;) {
      const query = this.since === undefined ? '' : `?since=${encodeURIComponent(this.since)}`;
      const response = await fetch(`${this.options.identityUrl}/auth/ended-sessions${query}`, {
        headers: { Authorization: `Bearer ${await this.options.tokens.get()}` },
        signal: AbortSignal.any([this.stopped.signal, AbortSignal.timeout(3_000)]), // 3 s
      });
      if (!response.ok) throw new Error(`GET /auth/ended-sessions answered ${response.status}`);
      const answer = feedAnswer.parse(await response.json());
      for (const { id, refusedUntil } of answer.sessions) this.remember(id, Date.parse(refusedUntil));
      this.since = answer.next;
      more = answer.more;
    }
  }

  private remember(id: string, until: number): void {
    this.refusedUntil.delete(id); // so that the map stays in the order of telling
    this.refusedUntil.set(id, until);
    if (this.refusedUntil.size <= (this.options.maxRemembered ?? 200_000)) return;
    const [oldest] = this.refusedUntil.keys();
    if (oldest !== undefined) this.refusedUntil.delete(oldest);
    this.options.log.warn(
      'more sessions were ended within 15 minutes than are remembered; the oldest hold until they expire',
    );
  }

  private forgetPast(): void {
    const now = Date.now();
    for (const [id, until] of this.refusedUntil) if (until <= now) this.refusedUntil.delete(id);
  }
}
