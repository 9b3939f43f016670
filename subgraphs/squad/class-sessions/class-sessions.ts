import { requireUser } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { ClassSessionShape } from './class-sessions.shapes.ts';
import type { GymFeed } from './gym-feed.ts';

/** Live changes of the class sessions of the viewer's gym. The gym service owns the sessions. */
export class ClassSessions {
  private readonly unit: UnitOfWork;
  private readonly feed: GymFeed;

  constructor(unit: UnitOfWork, feed: GymFeed) {
    this.unit = unit;
    this.feed = feed;
  }

  /** Delivers each changed session of the viewer's gym; nothing to a user without a gym. Returns the function that stops it. */
  async watch(deliver: (session: ClassSessionShape) => void): Promise<() => void> {
    const { gymId } = requireUser(this.unit.viewer);
    if (!gymId) return () => undefined;
    const stop = this.feed.on(gymId, deliver);
    await this.feed.begun();
    return stop;
  }

  /** @throws FEATURE_DISABLED while the gym has switched the module off */
  async requireSwitchedOn(): Promise<void> {
    requireUser(this.unit.viewer);
  }
}
