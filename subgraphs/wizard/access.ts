import { isSuperAdmin, type UserViewer, type Viewer } from '#server/auth/viewer.ts';
import { forbidden } from '#server/errors.ts';
import { isToken } from './sessions/resume-tokens.ts';
import type { SessionRecord } from './sessions/session-store.ts';

const isSelf = (viewer: Viewer, userId: string | null): boolean =>
  viewer.kind === 'user' && viewer.userId === userId;

/** Whether the viewer may list the user's sessions: the user themselves and a SUPER_ADMIN may. */
export const maySeeSessionsOf = (viewer: Viewer, userId: string): boolean =>
  isSelf(viewer, userId) || isSuperAdmin(viewer);

/**
 * Whether the viewer may read and change the session: its owner and a SUPER_ADMIN may; as long as it has no owner, also
 * every caller with its resume token.
 */
export const mayOpen = (
  viewer: Viewer,
  { createdBy, resumeTokenHash }: SessionRecord,
  resumeToken: string | null | undefined,
): boolean =>
  isSuperAdmin(viewer) ||
  (createdBy === null ? isToken(resumeToken, resumeTokenHash) : isSelf(viewer, createdBy));

/**
 * Only a SUPER_ADMIN may deploy a gym, even if another user prepared it. A member may also deploy their own onboarding.
 * @throws FORBIDDEN
 */
export function requireDeployer(viewer: UserViewer, { kind, createdBy }: SessionRecord): void {
  if (isSuperAdmin(viewer)) return;
  if (kind === 'GYM_SETUP')
    throw forbidden(
      'Only a SUPER_ADMIN may deploy a gym; they find this session in their list of wizard sessions.',
    );
  if (!isSelf(viewer, createdBy))
    throw forbidden('Only the member themselves or a SUPER_ADMIN may deploy an onboarding.');
}
