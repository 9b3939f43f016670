import { z } from 'zod';

const MAX_DAYS = 36_500; // 100 years

/** A setting in days; 0 means for ever. */
const days = (byDefault: number, min = 1) =>
  z.coerce
    .number('expected a number of days, or 0 for ever')
    .int('expected a whole number of days, or 0 for ever')
    .min(0, 'expected a number of days, or 0 for ever')
    .max(MAX_DAYS, `expected at most ${MAX_DAYS} days, or 0 for ever`)
    .refine((given) => given === 0 || given >= min, `expected at least ${min} days, or 0 for ever`)
    .default(byDefault);

/** The database refuses to delete audit records that are younger than this (audit-retention.ts). */
export const MIN_AUDIT_DAYS = 30;

/** How long the services keep data whose amount grows with use. `docs/personal-data.md` describes each kind. */
export const retentionSettings = z.object({
  /** Visits that have ended and count in no current challenge. */
  retentionVisitsDays: days(1_095), // 3 years
  /** Denials. */
  retentionDenialsDays: days(90),
  /** Audit records: actions of staff (gym) and changes of accounts (identity). */
  retentionAuditDays: days(1_095, MIN_AUDIT_DAYS), // 3 years
  /** Orders that were collected or cancelled. */
  retentionOrdersDays: days(3_650), // 10 years, because they belong to the books of the gym
  /** Records of finished sagas. */
  retentionSagasDays: days(90),
  /** Used refresh tokens, which are kept so that the use of a stolen one is recognised. */
  retentionSessionsDays: days(30),
  /** Deployed wizard sessions. */
  retentionWizardDays: days(365),
  /** The reports of food log imports, without the imported entries. */
  retentionImportsDays: days(90),
});

/** The name of one of these settings. */
export type RetentionSetting = keyof z.output<typeof retentionSettings>;
export type RetentionSettings = z.output<typeof retentionSettings>;
