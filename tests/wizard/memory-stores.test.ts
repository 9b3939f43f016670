import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { UnitOfWork, NO_ORIGIN } from '#server/unit-of-work.ts';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { createLogger } from '#server/observability/logger.ts';
import { memoryStorage } from '../../subgraphs/wizard/storage.memory.ts';
import type { SessionRecord } from '../../subgraphs/wizard/sessions/session-store.ts';

const unit = new UnitOfWork(undefined, ANONYMOUS, createLogger('wizard', 'silent'), NO_ORIGIN);

it('a first visit is listed once its session is deployed, and not while the deployment may still be undone', async () => {
  const storage = memoryStorage();
  const [sessions, reservations] = [storage.sessions(unit), storage.reservations(unit)];
  const [gymId, locationId, memberId] = [randomUUID(), randomUUID(), randomUUID()];
  const startsAt = new Date(Date.now() + 86_400_000);
  const session: SessionRecord = {
    id: randomUUID(),
    kind: 'MEMBER_ONBOARDING',
    status: 'DEPLOYING',
    definitionVersion: 1,
    currentStep: 'review',
    data: {},
    files: [],
    version: 1,
    createdBy: memberId,
    gymId,
    resumeTokenHash: null,
    expiresAt: startsAt,
    createdAt: new Date(),
    updatedAt: new Date(),
  };
  await sessions.insert(session);
  await reservations.reserve({
    resource: 'slot',
    value: `${locationId}@${startsAt.toISOString()}`,
    sessionId: session.id,
    places: 1,
    until: startsAt,
    memberId,
    visit: { gymId, startsAt },
  });
  const listed = async () =>
    (
      await reservations.firstVisits({
        gymId,
        from: new Date(),
        to: new Date(startsAt.getTime() + 1),
        after: undefined,
        limit: 10,
      })
    ).map(({ sessionId }) => sessionId);
  expect(await listed()).toEqual([]);
  await sessions.replace({ ...session, status: 'DEPLOYED', version: 2 });
  expect(await listed()).toEqual([session.id]);
});
