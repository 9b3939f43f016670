import { eventRetention } from '#server/events/event-retention.ts';
import { auditRetention } from '#server/retention/audit-retention.ts';
import type { RetentionRule } from '#server/retention/retention.ts';
import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import { unusedFiles } from '#server/files/unused-files.ts';
import { removeEndedSecrets } from './api-clients/retention.ts';
import { EXPORTS_PER_BATCH, removeExpiredExports, usedSections } from './accounts/exports.ts';
import { removeFinishedDeletionSagas } from './accounts/retention.ts';
import { usedAvatars } from './avatars/avatars.ts';
import { removeEmailVerifications } from './email-verifications/retention.ts';
import { removeGymInvitations } from './invitations/retention.ts';
import { removePasswordResets } from './password-resets/retention.ts';
import type { IdentityResources } from './resources.ts';
import {
  removeEndedSessions,
  removeExpiredSessions,
  removeLoginFailures,
  removeUsedTokens,
} from './sessions/retention.ts';
import { removeStaffMails } from './staff-mails/retention.ts';
import { removeBrokenImport, removeOldImport } from './user-imports/retention.ts';

/** The rules that remove data that has expired, or has been kept long enough. */
export const identityRetention = ({
  files,
  sagaStore,
}: Pick<IdentityResources, 'files' | 'sagaStore'>): readonly RetentionRule[] => [
  { what: 'sessions', kept: { millis: 0 }, run: removeExpiredSessions },
  { what: 'used_refresh_tokens', kept: 'retentionSessionsDays', run: removeUsedTokens },
  { what: 'ended_sessions', kept: { millis: 0 }, run: removeEndedSessions },
  { what: 'earlier_client_secrets', kept: { millis: 0 }, run: removeEndedSecrets },
  { what: 'failed_logins', kept: { millis: HOUR_MILLIS }, run: removeLoginFailures },
  { what: 'password_resets', kept: { millis: 8 * DAY_MILLIS }, run: removePasswordResets },
  { what: 'gym_invitations', kept: { millis: 8 * DAY_MILLIS }, run: removeGymInvitations },
  { what: 'staff_mails', kept: { millis: 8 * DAY_MILLIS }, run: removeStaffMails },
  { what: 'email_verifications', kept: { millis: 2 * DAY_MILLIS }, run: removeEmailVerifications },
  { what: 'account_deletion_sagas', kept: 'retentionSagasDays', run: removeFinishedDeletionSagas(sagaStore) },
  {
    what: 'account_exports',
    kept: { millis: 0 },
    batchRows: EXPORTS_PER_BATCH,
    run: (unit) => removeExpiredExports(unit, { files, sagaStore }),
  },
  unusedFiles(
    files,
    async (unit, keys) => new Set([...(await usedAvatars(unit, keys)), ...(await usedSections(unit, keys))]),
  ),
  { what: 'user_imports', kept: { millis: 30 * DAY_MILLIS }, batchRows: 1, run: removeOldImport },
  { what: 'broken_user_imports', kept: { millis: HOUR_MILLIS }, batchRows: 1, run: removeBrokenImport },
  auditRetention,
  eventRetention,
];
