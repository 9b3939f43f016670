import { PlatformError } from '#server/errors.ts';
import type { OnlineUsers } from './online-users.ts';

/** Together with the 2 s for which a switch is cached, this is less than the 5 s within which a switch must take effect. */
const CHECK_MILLIS = 2_000;

interface ModuleListener {
  /** Called at every check while the gym of the viewer has switched the module off. */
  onOff(): void;
  /** Called at every check while the gym has the module on. */
  onOn?(): void;
}

/**
 * Checks whether the module is still on for a viewer who listens. While a module is off, calls of its rules are refused, but
 * a subscription that began before would still get events. Returns the function that ends the checks.
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
