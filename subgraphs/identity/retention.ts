import { auditRetention } from '#server/retention/audit-retention.ts';
import { removeRows, type RetentionRule } from '#server/retention/retention.ts';
import { removeExpiredExports } from './accounts/exports.ts';
import type { IdentityResources } from './resources.ts';

const HOUR_MILLIS = 60 * 60 * 1000;
const DAY_MILLIS = 24 * HOUR_MILLIS;

/** What nobody can use any more, and what has been kept long enough. */
export const identityRetention = ({
  files,
  sagaStore,
}: Pick<IdentityResources, 'files' | 'sagaStore'>): readonly RetentionRule[] => [
  {
    what: 'sessions',
    kept: { millis: 0 },
    run: (unit, before) => removeRows(unit, 'login_session', 'expires_at < ?', [before]),
  },
  {
    // A used token is remembered as long as it could have lived, so that its reuse is noticed.
    what: 'used_refresh_tokens',
    kept: 'retentionSessionsDays',
    run: (unit, before) => removeRows(unit, 'refresh_token', 'used_at < ?', [before]),
  },
  {
    what: 'ended_sessions',
    kept: { millis: 0 },
    run: (unit, before) => removeRows(unit, 'ended_session', 'refused_until < ?', [before]),
  },
  {
    what: 'failed_logins',
    kept: { millis: HOUR_MILLIS },
    run: (unit, before) => removeRows(unit, 'login_failures', 'updated_at < ?', [before]),
  },
  {
    what: 'password_resets',
    kept: { millis: 8 * DAY_MILLIS },
    run: (unit, before) => removeRows(unit, 'password_reset', 'requested_at < ?', [before]),
  },
  {
    what: 'account_exports',
    kept: { millis: 0 },
    run: (unit) => removeExpiredExports(unit, { files, sagaStore }),
  },
  auditRetention,
];
