import { Outcome, type AccountPart, type RecordSource, type Verdict } from '#server/accounts/account-part.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import { conflict } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { SessionRecord, SessionStore } from '../sessions/session-store.ts';

/** What the wizard service keeps of a person: the sessions that she began or claimed, with all that she filled in. */
export const wizardAccountPart = (
  unit: UnitOfWork,
  sessions: SessionStore,
  isInMemory: boolean,
): AccountPart => ({
  records: { sessions: sessionsOf(sessions) },
  // In memory nothing outlives the process, least of all what has to be known of a person who is gone.
  erase: (userId) =>
    isInMemory
      ? eraseSessions(sessions, userId)
      : eraseOnce(unit, userId, () => eraseSessions(sessions, userId)),
});

/** Newest first, as in lists. */
const sessionsOf =
  (sessions: SessionStore): RecordSource =>
  async (userId, after, limit) => {
    const before = after ? String(after[0]) : undefined;
    const page = await sessions.list({ createdBy: userId, before, limit });
    return page.map(({ resumeTokenHash: _secret, ...record }) => ({ key: [record.id], record }));
  };

/** A gym that stands keeps the record of how it was set up, without who did it; everything else goes. */
async function eraseSessions(store: SessionStore, userId: string): Promise<Verdict> {
  const PAGE = 200;
  let kept = 0;
  for (let before: string | undefined; ;) {
    const page = await store.list({ createdBy: userId, before, limit: PAGE });
    for (const session of page)
      if (isGymThatStands(session)) {
        if (!(await store.replace(anonymised(session)))) throw underWay();
        kept += 1;
      } else if (session.status === 'DEPLOYING') throw underWay();
    await store.remove(page.filter((session) => !isGymThatStands(session)).map(({ id }) => id));
    before = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  if (kept === 0) return { outcome: Outcome.DELETED, reason: null };
  return {
    outcome: Outcome.ANONYMISED,
    reason: 'The set-up of a gym that was deployed stays with the gym, without who did it and whom it names.',
  };
}

const isGymThatStands = ({ kind, status }: SessionRecord): boolean =>
  kind === 'GYM_SETUP' && status === 'DEPLOYED';

function anonymised(session: SessionRecord): SessionRecord {
  const { admin: _names, ...data } = session.data;
  return {
    ...session,
    createdBy: null,
    resumeTokenHash: null,
    data,
    version: session.version + 1,
    updatedAt: new Date(),
  };
}

const underWay = () =>
  conflict('A wizard session of this user is being deployed; ask again when that has ended.');
