import { conflict } from '#server/errors.ts';
import type { SagaStatus } from '#server/saga/saga.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DEPLOYMENT } from '../deployments/deployment-context.ts';
import type { SessionRecord, SessionStore } from '../sessions/session-store.ts';
import type { WizardStorage } from '../storage.ts';

const PAGE = 200;

/**
 * Removes a user from deployed set-ups of gyms whose first admin they are: their name and email, which another user
 * entered, and the id of their account, which the deployment contains as a result. Returns how many set-ups named the user.
 */
export async function forgetAsFirstAdmin(
  unit: UnitOfWork,
  { storage, sagas }: { storage: WizardStorage; sagas: Sagas },
  userId: string,
): Promise<number> {
  const store = storage.sessions(unit);
  let named = 0;
  for (let before: string | undefined; ;) {
    const page = await store.list({ kind: 'GYM_SETUP', status: 'DEPLOYED', before, limit: PAGE });
    const deployments = await sagas.findBySubjects(
      DEPLOYMENT,
      page.map(({ id }) => id),
    );
    const namingSessions = new Set(
      deployments
        .filter(({ result }) => (result as { adminId?: string | null } | null)?.adminId === userId)
        .map(({ subject }) => subject),
    );
    for (const session of page) {
      if (!namingSessions.has(session.id) || !session.data.admin) continue;
      if (!(await store.replace(withoutAdmin(session))))
        throw conflict('A wizard session that names this user was changed at the same moment; try again.');
    }
    if (!storage.isInMemory) await forgetInResults(unit, [...namingSessions], userId);
    named += namingSessions.size;
    before = page.at(-1)?.id;
    if (page.length < PAGE) return named;
  }
}

async function forgetInResults(
  unit: UnitOfWork,
  sessionIds: readonly string[],
  userId: string,
): Promise<void> {
  if (sessionIds.length === 0) return;
  await unit.em.execute(
    `update saga set result = jsonb_set(result, '{adminId}', 'null'), actions = (
       select jsonb_agg(
         case when action #>> '{output,adminId}' = ? then jsonb_set(action, '{output,adminId}', 'null') else action end
         order by position)
       from jsonb_array_elements(actions) with ordinality as each(action, position))
     where kind = ? and subject in (?)`,
    [userId, DEPLOYMENT, sessionIds],
  );
}

/**
 * Removes the name and email of a user from set-ups whose deployment could not be undone. The id of their account stays until
 * a SUPER_ADMIN has decided about the deployment, because the invitation of the user may still have to be withdrawn. Returns
 * how many set-ups keep the id.
 */
export async function forgetInUnresolved(
  unit: UnitOfWork,
  store: SessionStore,
  userId: string,
): Promise<number> {
  const sagas = await unit.em.execute<{ subject: string }[]>(
    `update saga set actions = (
       select jsonb_agg(
         case when action -> 'input' ->> 'id' = ? then action || jsonb_build_object('input', jsonb_build_object('id', ?::text), 'output', null) else action end
         order by position)
       from jsonb_array_elements(actions) with ordinality as each(action, position))
     where kind = ? and status = 'UNDO_FAILED' and finished_at is null and actions @> ?::jsonb
     returning subject`,
    [userId, userId, DEPLOYMENT, JSON.stringify([{ input: { id: userId } }])],
  );
  const sessions = await store.findByIds(sagas.map(({ subject }) => subject));
  for (const session of sessions)
    if (session.data.admin && !(await store.replace(withoutAdmin(session))))
      throw conflict('A wizard session that names this user was changed at the same moment; try again.');
  return sessions.length;
}

/** The session without the name and email of the gym's first admin, with the next version. */
export function withoutAdmin(session: SessionRecord): SessionRecord {
  const { admin: _names, ...data } = session.data;
  return { ...session, data, version: session.version + 1, updatedAt: new Date() };
}

/**
 * Removes the user's id from deployments that they started, and from decisions about deployments that could not be undone.
 * @throws CONFLICT while such a deployment is running
 */
export async function forgetAsDeployer(unit: UnitOfWork, userId: string): Promise<void> {
  const decidedBy = JSON.stringify({ resolutions: [{ by: userId }] });
  // The sagas are locked, so that no decision restarts one before the update. A finished saga has no context.
  const begun = await unit.em.execute<{ status: SagaStatus }[]>(
    `select status from saga
     where kind = ? and finished_at is null and (context ->> 'actorId' = ? or undoing @> ?::jsonb) for update`,
    [DEPLOYMENT, userId, decidedBy],
  );
  if (begun.some(({ status }) => status !== 'UNDO_FAILED'))
    throw conflict('A deployment that this user has started is running; try again when it has ended.');
  await unit.em.execute(
    `update saga set context = jsonb_set(context, '{actorId}', 'null')
     where kind = ? and finished_at is null and context ->> 'actorId' = ?`,
    [DEPLOYMENT, userId],
  );
  await unit.em.execute(
    `update saga set undoing = jsonb_set(undoing, '{resolutions}', (
       select jsonb_agg(
         case when resolution ->> 'by' = ? then jsonb_set(resolution, '{by}', 'null') else resolution end
         order by position)
       from jsonb_array_elements(undoing -> 'resolutions') with ordinality as each(resolution, position)))
     where kind = ? and undoing is not null and undoing @> ?::jsonb`,
    [userId, DEPLOYMENT, decidedBy],
  );
}
