import type { SharedPolicy } from './fetch-policy.ts';

/** The changes of the services' data, of which this gateway is notified. */
export interface FollowedChanges {
  /**
   * A text that differs after each change on which a value with this policy depends. Undefined while this gateway cannot be
   * sure that it is notified of every change.
   * @param userId the user to whom a private value belongs
   */
  versionOf(policy: SharedPolicy, userId?: string): string | undefined;
  /** Whether the last change of each kind is so old that all services have noticed it. */
  areSettled(kinds: readonly string[]): boolean;
  /** Calls the listener with the kinds that have changed. */
  onChange(listener: (kinds: ReadonlySet<string>) => void): void;
  /** Follows the changes of these services, in addition to those that it follows already. */
  follow(services: Iterable<string>): void;
  /** The consequence for `GET /health/ready`, if this gateway cannot be notified of changes now. */
  losses(): Record<string, string>;
  close(): void;
}
