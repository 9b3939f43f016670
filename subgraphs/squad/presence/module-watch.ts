import { PlatformError } from '#server/errors.ts';
import type { OnlineUsers } from './online-users.ts';

/** With the 2 s for which a switch is cached, less than the 5 s in which a switch must take effect. */
const CHECK_MILLIS = 2_000;

interface ModuleListener {
  /** Called at every check while the gym of the viewer has switched the module off. */
  onOff(): void;
  /** Called at every check while it is on. */
  onOn?(): void;
}

/**
 * Checks whether the module is still on for a viewer who listens: a module that is off refuses its rules, but not the
 * events of a rule that has begun before. Returns the function that ends the checks.
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
