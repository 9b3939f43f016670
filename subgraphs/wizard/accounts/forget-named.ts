import { conflict } from '#server/errors.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DEPLOYMENT } from '../deployments/deployment-context.ts';
import type { SessionRecord, SessionStore } from '../sessions/session-store.ts';

const PAGE = 200;

/**
 * A gym's set-up names its first admin, by an address that somebody else has filled in. Who she is by now is told by
 * the deployment's result. Returns how many set-ups named her.
 */
export async function forgetAsFirstAdmin(store: SessionStore, sagas: Sagas, userId: string): Promise<number> {
  let named = 0;
  for (let before: string | undefined; ;) {
    const page = await store.list({ kind: 'GYM_SETUP', status: 'DEPLOYED', before, limit: PAGE });
    const deployments = await sagas.findBySubjects(
      DEPLOYMENT,
      page.map(({ id }) => id),
    );
    const hers = new Set(
      deployments
        .filter(({ result }) => (result as { adminId?: string | null } | null)?.adminId === userId)
        .map(({ subject }) => subject),
    );
    for (const session of page) {
      if (!hers.has(session.id) || !session.data.admin) continue;
      if (!(await store.replace(withoutAdmin(session))))
        throw conflict('A wizard session that names this user was changed in this moment; ask again.');
      named += 1;
    }
    before = page.at(-1)?.id;
    if (page.length < PAGE) return named;
  }
}

/** Whoever it names, as the owner or as the first admin. */
export function withoutAdmin(session: SessionRecord): SessionRecord {
  const { admin: _names, ...data } = session.data;
  return { ...session, data, version: session.version + 1, updatedAt: new Date() };
}

/** Deployments tell by whom they were begun; what is over has no more use for it. @throws CONFLICT while one is under way */
export async function forgetAsDeployer(unit: UnitOfWork, userId: string): Promise<void> {
  const underWay = await unit.em.execute<unknown[]>(
    `select 1 from saga where kind = ? and context ->> 'actorId' = ? and finished_at is null limit 1`,
    [DEPLOYMENT, userId],
  );
  if (underWay.length > 0)
    throw conflict('A deployment that this user has begun is under way; ask again when that has ended.');
  await unit.em.execute(
    `update saga set context = jsonb_set(context, '{actorId}', 'null') where kind = ? and context ->> 'actorId' = ?`,
    [DEPLOYMENT, userId],
  );
}
