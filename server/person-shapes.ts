import { z } from 'zod';
import { day, visibleText } from './shapes.ts';

/** Shapes of the facts that users state about themselves: the wizard asks for them, and identity stores them. */

/** The name that other users see. */
export const displayName = visibleText(80).regex(/^\P{Cc}*$/u, 'expected text without control characters');

const MIN_AGE_YEARS = 13;

export const birthDate = day
  .refine(isOldEnough, `expected a day that is at least ${MIN_AGE_YEARS} years ago`)
  .meta({ description: `A day from 1900 on that is at least ${MIN_AGE_YEARS} years ago.` });

function isOldEnough(text: string): boolean {
  const latest = new Date();
  latest.setUTCFullYear(latest.getUTCFullYear() - MIN_AGE_YEARS);
  return text <= latest.toISOString().slice(0, 10);
}

export const heightCm = z.number().min(50).max(260);
export const weightKg = z.number().min(20).max(400);
export const Sex = { FEMALE: 'FEMALE', MALE: 'MALE', OTHER: 'OTHER' } as const;
export type Sex = (typeof Sex)[keyof typeof Sex];
export const sex = z.enum(Sex, `expected ${Object.values(Sex).join(', ')}`);

/** What a user trains for, and how active they are. */
export const trainingGoals = z.array(visibleText(60)).max(10);
export const activity = visibleText(60);
