import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../observability/logger.ts';
import type { ServiceTokens } from './service-tokens.ts';
import type { KnownViewer } from './viewer.ts';

/** A session that ends in one service ends in all of them, open sockets included, within this time. */
export const SESSION_END_MILLIS = 5_000;
/** How often services ask identity which sessions have ended. */
export const READ_ENDED_SESSIONS_MILLIS = 2_000;
/**
 * How often every open socket and subscription is checked against the ended sessions. This interval and the one above
 * add up to 0.5 s less than `SESSION_END_MILLIS`; the difference is for the request to identity.
 */
export const CHECK_SESSIONS_MILLIS = 2_500;

interface EndedSessionsOptions {
  /** Identity's base URL. */
  identityUrl: string;
  tokens: ServiceTokens;
  log: Logger;
  /** Default `READ_ENDED_SESSIONS_MILLIS`. */
  pollMillis?: number;
  /** How many sessions are remembered at most; if there are more, the oldest are forgotten, with a warning. Default 200,000. */
  maxRemembered?: number;
}

/** The answer of identity's `GET /auth/ended-sessions`. */
const feedAnswer = z.object({
  sessions: z.array(z.object({ id: z.string(), refusedUntil: z.iso.datetime() })),
  next: z.string(),
  more: z.boolean(),
});

/**
 * The sessions whose access tokens are refused before they expire: sessions that have ended, and sessions of users whose
 * rights have changed. They are read from identity every 2 s, so that a token is refused everywhere within 5 s.
 *
 * An entry is dropped when the tokens that it refuses have expired, after 15 minutes. While identity does not answer, the
 * entries read so far stay in force.
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

  /**
   * Whether the token is refused, because its session has ended or the user's rights have changed since. `TokenVerifier`
   * calls it for every use of a token.
   */
  readonly isRevoked = (viewer: KnownViewer): boolean =>
    viewer.kind !== 'service' && viewer.expiresAt < (this.refusedUntil.get(viewer.sessionId) ?? 0);

  stop(): void {
    this.stopped.abort();
  }

  private async pollUntilStopped(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      try {
        await this.poll();
        if (this.isDown) this.options.log.info('ended sessions can be read from identity again');
        this.isDown = false;
      } catch (error) {
        if (!this.isDown && !signal.aborted)
          this.options.log.warn(
            { err: error },
            'ended sessions cannot be read from identity; those read so far are still refused',
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
      const token = await this.options.tokens.get();
      const response = await fetch(`${this.options.identityUrl}/auth/ended-sessions${query}`, {
        headers: { Authorization: `Bearer ${token}` },
        signal: AbortSignal.any([this.stopped.signal, AbortSignal.timeout(3_000)]), // 3 s
      });
      if (response.status === 401) this.options.tokens.refused(token);
      if (!response.ok) throw new Error(`GET /auth/ended-sessions answered ${response.status}`);
      const answer = feedAnswer.parse(await response.json());
      for (const { id, refusedUntil } of answer.sessions) this.remember(id, Date.parse(refusedUntil));
      this.since = answer.next;
      more = answer.more;
    }
  }

  private remember(id: string, until: number): void {
    this.refusedUntil.delete(id); // so that the map stays in the order in which identity reported the sessions
    this.refusedUntil.set(id, until);
    if (this.refusedUntil.size <= (this.options.maxRemembered ?? 200_000)) return;
    const [oldest] = this.refusedUntil.keys();
    if (oldest !== undefined) this.refusedUntil.delete(oldest);
    this.options.log.warn(
      'more sessions ended within 15 minutes than can be remembered; tokens of the oldest are accepted until they expire',
    );
  }

  private forgetPast(): void {
    const now = Date.now();
    for (const [id, until] of this.refusedUntil) if (until <= now) this.refusedUntil.delete(id);
  }
}
