import { isSuperAdmin, type UserViewer, type Viewer } from '#server/auth/viewer.ts';
import { forbidden } from '#server/errors.ts';
import { isToken } from './sessions/resume-tokens.ts';
import type { SessionRecord } from './sessions/session-store.ts';

const isSelf = (viewer: Viewer, userId: string | null): boolean =>
  viewer.kind === 'user' && viewer.userId === userId;

/** The user's list of sessions: for that user, and for a SUPER_ADMIN. */
export const maySeeSessionsOf = (viewer: Viewer, userId: string): boolean =>
  isSelf(viewer, userId) || isSuperAdmin(viewer);

/** Its owner; until it has one, whoever presents its resume token; and a SUPER_ADMIN. */
export const mayOpen = (
  viewer: Viewer,
  { createdBy, resumeTokenHash }: SessionRecord,
  resumeToken: string | null | undefined,
): boolean =>
  isSuperAdmin(viewer) ||
  (createdBy === null ? isToken(resumeToken, resumeTokenHash) : isSelf(viewer, createdBy));

/** A gym is deployed by a SUPER_ADMIN, whoever prepared it; an onboarding by its member, too. */
export function requireDeployer(viewer: UserViewer, { kind, createdBy }: SessionRecord): void {
  if (isSuperAdmin(viewer)) return;
  if (kind === 'GYM_SETUP')
    throw forbidden(
      'Only a SUPER_ADMIN may deploy a gym; this session is in the list of their wizard sessions.',
    );
  if (!isSelf(viewer, createdBy))
    throw forbidden('Only its own member or a SUPER_ADMIN may deploy an onboarding.');
}
