import { PlatformError } from '#server/errors.ts';
import type { OnlineUsers } from './online-users.ts';

/** Together with the age of a switch that is known (2 s), less than the 5 s in which a switch takes effect. */
const CHECK_MILLIS = 2_000;

export interface ModuleListener {
  /** Called at every check while the gym of the viewer has switched the module off. */
  onOff(): void;
  /** Called at every check while it is on. */
  onOn?(): void;
}

/**
 * Tells a door whether the module is still on for a viewer who listens. A rule is refused by itself when it is off, but
 * what a rule has begun before goes on. Returns what ends the watch.
 */
export function watchModule(
  onlineUsers: Pick<OnlineUsers, 'requireSwitchedOn'>,
  { onOff, onOn }: ModuleListener,
): () => void {
  const check = (): void =>
    void onlineUsers.requireSwitchedOn().then(
      () => onOn?.(),
      (error: unknown) => {
        if (error instanceof PlatformError && error.code === 'FEATURE_DISABLED') onOff();
      },
    );
  const timer = setInterval(check, CHECK_MILLIS);
  timer.unref();
  return () => clearInterval(timer);
}
