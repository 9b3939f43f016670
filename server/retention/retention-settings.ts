import { z } from 'zod';

const MOST_DAYS = 36_500; // 100 years

/** A number of days; 0: for ever. */
const days = (byDefault: number, least = 1) =>
  z.coerce
    .number('expected a number of days, or 0 for ever')
    .int('expected a whole number of days, or 0 for ever')
    .min(0, 'expected a number of days, or 0 for ever')
    .max(MOST_DAYS, `expected at most ${MOST_DAYS} days, or 0 for ever`)
    .refine((given) => given === 0 || given >= least, `expected at least ${least} days, or 0 for ever`)
    .default(byDefault);

/** The database refuses to forget anything younger (audit-retention.ts). */
export const LEAST_AUDIT_DAYS = 30;

/** How long the services keep what grows with use. `docs/personal-data.md` says what each is about. */
export const retentionSettings = z.object({
  /** Visits that have ended, and that no challenge of this time counts. */
  retentionVisitsDays: days(1_095), // 3 years
  /** Refused check-ins. */
  retentionDenialsDays: days(90),
  /** What staff did (gym), and what was done to accounts (identity). */
  retentionAuditDays: days(1_095, LEAST_AUDIT_DAYS), // 3 years
  /** Records of sagas that have ended. */
  retentionSagasDays: days(90),
  /** Refresh tokens that have been used, by which a stolen one is recognised. */
  retentionSessionsDays: days(30),
  /** Wizard sessions that were deployed. */
  retentionWizardDays: days(365),
  /** Reports of imported food logs; not the entries. */
  retentionImportsDays: days(90),
});

/** A setting that says how long something is kept. */
export type RetentionSetting = keyof z.output<typeof retentionSettings>;
export type RetentionSettings = z.output<typeof retentionSettings>;
