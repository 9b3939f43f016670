import { z } from 'zod';
import { visibleText } from './shapes.ts';

/** Shapes of the facts about a gym that the wizard asks for and the gym service stores. For its branding see `branding.ts`. */

export const gymName = visibleText(120, 2);

/** The name of a gym in URLs. */
export const gymSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, 'expected 3 to 63 lower-case letters, digits and hyphens');

/** Which modules are on, by their names. */
export const featureSwitches = z.record(
  z.string().regex(/^[a-z][\w-]{0,40}$/, 'expected a module name such as nutrition'),
  z.boolean('expected true or false'),
);

/** Who may join a gym without its staff. */
export const JoinPolicy = {
  /** Everybody. */
  OPEN: 'OPEN',
  /** Everybody, once they have verified their email. */
  VERIFIED_EMAIL: 'VERIFIED_EMAIL',
  /** Everybody whom the staff have admitted. */
  APPROVAL: 'APPROVAL',
  /** Only people whom the staff have invited. */
  INVITE: 'INVITE',
} as const;
export type JoinPolicy = (typeof JoinPolicy)[keyof typeof JoinPolicy];
export const joinPolicy = z.enum(JoinPolicy, 'expected OPEN, VERIFIED_EMAIL, APPROVAL or INVITE');
