import type { Seeded } from '#server/demo-history.ts';
import { demoId } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** One demo gym as the history fills it. */
export interface HistoryGym {
  id: string;
  timezone: string;
  staffId: string;
  /** The members who visit, book, order and post; without the demo users. */
  memberIds: readonly string[];
  /** The demo users who are its members. */
  demoUserIds: readonly string[];
  /** Members whose membership is frozen or has ended: they visited in the first two weeks of the history. */
  formerIds: readonly string[];
}

/** What all parts of the history need. */
export interface HistoryContext {
  unit: UnitOfWork;
  now: Date;
  random: Seeded;
}

/** The ids of the demo locations. */
export const FORGE = demoId('301', 1);
export const ANVIL = demoId('301', 2);
export const HARBOUR = demoId('301', 3);
