/**
 * What a member does on an average day. These figures are assumed; those of the rows are measured (`run.ts`), and so is the
 * processor time (docs/performance.md, "The platform").
 */
export const ROWS_PER_MEMBER_AND_DAY: Readonly<
  Record<string, { rows: number; keptDays: number | 'for ever'; why: string }>
> = {
  'nutrition.food_log': {
    rows: 1,
    keptDays: 'for ever',
    why: 'a quarter of the members logs four entries a day',
  },
  'nutrition.food_log_day': { rows: 0.25, keptDays: 'for ever', why: 'one for each day with entries' },
  'gym.check_in': { rows: 0.4, keptDays: 1095, why: '12 visits a month' },
  'identity.refresh_token': {
    rows: 1.3,
    keptDays: 30,
    why: 'a third of the members opens the app four times a day',
  },
  'gym.post_like': { rows: 0.25, keptDays: 'for ever', why: '' },
  'gym.post': { rows: 0.02, keptDays: 'for ever', why: '' },
  'squad.journal_record': {
    rows: 0.8,
    keptDays: 90,
    why: 'one member in 30 trains in a squad, with 25 sets and messages',
  },
  'gym.idempotency_record': { rows: 1.7, keptDays: 1, why: 'one for each POST with a key' },
};

/** One row for each member. */
export const ROWS_PER_MEMBER = ['identity.user_account', 'identity.login_session'] as const;

/** Requests of a member on an average day (assumed), and their processor time in milliseconds (measured). */
export const REQUESTS: Readonly<
  Record<string, { perMemberAndDay: number; gateway: number; services: number; database: number }>
> = {
  'home query and others of the graph': { perMemberAndDay: 6, gateway: 0.85, services: 3.07, database: 0.71 },
  'history, lists (REST)': { perMemberAndDay: 3, gateway: 0.71, services: 2.89, database: 1.13 },
  'writes: check-ins, food log, likes, sets': {
    perMemberAndDay: 2.7,
    gateway: 0.62,
    services: 4.74,
    database: 2.34,
  },
  'log-in': { perMemberAndDay: 0.02, gateway: 0.89, services: 14.43, database: 1.36 },
};

/** The busiest hour of a day has this multiple of its average (assumed: most requests within ten hours, an evening peak). */
export const PEAK = 3;
export const DAY_SECONDS = 86_400;
