import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { LockMode } from '@mikro-orm/postgresql';
import { DAY_MILLIS } from '#server/durations.ts';
import { requireUser } from '#server/auth/viewer.ts';
import { conflict, notFound, PlatformError, unauthenticated } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { discard } from '#server/files/unused-files.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { isFinished, type Saga } from '#server/saga/saga.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { SagaStore } from '#server/saga/saga-store.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { wholeText } from '#server/whole-text.ts';
import { AccountExport } from './account-export.entity.ts';
import type { AccountExportShape } from './accounts.shapes.ts';
import { EXPORT_SAGA } from './export-saga.ts';
import { documentOf, SECTIONS, sectionKey } from './export-sections.ts';

const KEPT_MILLIS = 7 * DAY_MILLIS;
const KEPT_FOR_DOWNLOAD_MILLIS = 10 * 60 * 1000; // 10 min, in which all requests that wait for the same export download it
const FINISHED_KEPT = 5; // of each user
const LONGEST_WAIT_MILLIS = 45_000; // 45 s, shorter than the time limit of the gateway

interface ExportResources {
  sagas: Sagas;
  sagaStore: SagaStore;
  files: FileStorage;
}

/** Exports of everything that all six services store about a user, in one document that is available when it is complete. */
export class AccountExports {
  private readonly unit: UnitOfWork;
  private readonly resources: ExportResources;

  constructor(unit: UnitOfWork, resources: ExportResources) {
    this.unit = unit;
    this.resources = resources;
  }

  /** Starts an export, or returns the running one. The export continues even if processes stop. */
  async request(): Promise<AccountExportShape> {
    return this.presented(await this.begin(KEPT_MILLIS));
  }

  /** The viewer's exports, the newest first. */
  async list(): Promise<AccountExportShape[]> {
    const { userId } = requireUser(this.unit.viewer);
    const exports = await this.unit.em.find(
      AccountExport,
      { userId, expiresAt: { $gt: new Date() } },
      { orderBy: { id: 'desc' }, limit: 50 },
    );
    const sagas = await this.resources.sagas.findBySubjects(
      EXPORT_SAGA,
      exports.map(({ id }) => id),
    );
    return exports.map((one) =>
      present(
        this.unit,
        one,
        sagas.find(({ subject }) => subject === one.id),
      ),
    );
  }

  /** @throws NOT_FOUND, also for another user's export and for an expired one */
  async get(id: string): Promise<AccountExportShape> {
    return this.presented(await this.own(id));
  }

  /** The document of one of the viewer's exports. @throws NOT_FOUND as `get`; CONFLICT while the export is not complete */
  async document(id: string): Promise<Readable> {
    const { finishedAt } = await this.own(id);
    if (!finishedAt)
      throw conflict('This export is not complete yet; read its state, and download it when it is complete.');
    return documentOf(this.resources.files, { id, finishedAt });
  }

  /**
   * The document in one call: starts an export and waits for it.
   * @throws UPSTREAM_UNAVAILABLE if the export is not complete within 45 s, or at once if a service does not answer, which the
   * message names; the export continues, and can be downloaded later
   */
  async now(): Promise<Readable> {
    const { id } = await this.begin(KEPT_FOR_DOWNLOAD_MILLIS);
    const until = Date.now() + LONGEST_WAIT_MILLIS;
    for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
      const [saga] = await this.resources.sagas.findBySubjects(EXPORT_SAGA, [id]);
      if (saga && isFinished(saga)) return this.document(id);
      const failed = saga?.actions.find(({ status, error }) => status === 'PENDING' && error);
      if (failed || Date.now() > until) {
        await this.unit.em.nativeUpdate(
          AccountExport,
          { id },
          { expiresAt: new Date(Date.now() + KEPT_MILLIS) },
        );
        throw incomplete(id, failed?.service);
      }
      await pause(wait);
    }
  }

  /** The document of `now` as a JSON value, for the graph. @throws the errors of `now`; PAYLOAD_TOO_LARGE above 8 MiB */
  async documentAsJson(): Promise<unknown> {
    const document = await wholeText(
      await this.now(),
      this.unit,
      'Your export is larger than 8 MiB; download it with GET /users/me/export, or request it with requestAccountExport.',
    );
    return JSON.parse(document) as unknown;
  }

  /** Starts an export of the viewer, or returns the running one, which is then kept at least as long. */
  private async begin(keptMillis: number): Promise<AccountExport> {
    const { userId } = requireUser(this.unit.viewer);
    return this.unit.transaction(async () => {
      const id = uuidv7();
      const now = new Date();
      const expiresAt = new Date(now.getTime() + keptMillis);
      // `for key share` locks the account, so it cannot be deleted between this statement and the commit. A running export is
      // locked, too: if it finishes at this moment, the statement starts another one.
      const [begun] = await this.unit.em.execute<{ id: string }[]>(
        `insert into account_export (id, user_id, requested_at, expires_at)
         select ?, id, ?, ? from user_account where id = ? for key share
         on conflict (user_id) where finished_at is null
         do update set expires_at = greatest(account_export.expires_at, excluded.expires_at) returning id`,
        [id, now, expiresAt, userId],
      );
      if (!begun) throw unauthenticated('Your account has been deleted.');
      if (begun.id !== id)
        return this.unit.em.findOneOrFail(AccountExport, { id: begun.id }, { refresh: true });
      await this.resources.sagas.start(
        {
          kind: EXPORT_SAGA,
          subject: id,
          context: { exportId: id, userId },
          actions: SECTIONS.map((name) => ({ name })),
        },
        this.unit,
      );
      await this.removeOldest(userId);
      return this.unit.em.findOneOrFail(AccountExport, { id });
    });
  }

  /**
   * Removes a user's exports that finished more than 10 min ago, except for the newest five of them, so that repeated
   * requests do not fill the disk.
   */
  private async removeOldest(userId: string): Promise<void> {
    const finished = await this.unit.em.find(
      AccountExport,
      { userId, finishedAt: { $lt: new Date(Date.now() - KEPT_FOR_DOWNLOAD_MILLIS) } },
      { orderBy: { id: 'desc' }, offset: FINISHED_KEPT },
    );
    await removeExports(
      this.unit,
      this.resources,
      finished.map(({ id }) => id),
    );
  }

  private async own(id: string): Promise<AccountExport> {
    const { userId } = requireUser(this.unit.viewer);
    const found = isUuid(id)
      ? await this.unit.em.findOne(AccountExport, { id, userId, expiresAt: { $gt: new Date() } })
      : null;
    if (!found) throw notFound('export', id);
    return found;
  }

  private async presented(one: AccountExport): Promise<AccountExportShape> {
    const [saga] = await this.resources.sagas.findBySubjects(EXPORT_SAGA, [one.id]);
    return present(this.unit, one, saga);
  }
}

/** Removes exports with their sagas. Their files are deleted after the commit: no transaction waits for the file storage. */
async function removeExports(
  unit: UnitOfWork,
  { files, sagaStore }: Pick<ExportResources, 'files' | 'sagaStore'>,
  ids: readonly string[],
): Promise<void> {
  await unit.em.nativeDelete(AccountExport, { id: { $in: [...ids] } });
  await sagaStore.remove(EXPORT_SAGA, ids);
  const keys = ids.flatMap((id) => SECTIONS.map((service) => sectionKey(id, service)));
  await unit.afterCommit(() => discard(files, keys, unit.log));
}

/** The maximum number of exports that one call removes. Each has six files. */
export const EXPORTS_PER_BATCH = 100;

/** Removes expired exports with their files. @returns how many */
export async function removeExpiredExports(
  unit: UnitOfWork,
  resources: Pick<ExportResources, 'files' | 'sagaStore'>,
): Promise<number> {
  const expired = await unit.em.find(
    AccountExport,
    { expiresAt: { $lt: new Date() } },
    { limit: EXPORTS_PER_BATCH, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
  );
  await removeExports(
    unit,
    resources,
    expired.map(({ id }) => id),
  );
  return expired.length;
}

/** The keys among `keys` under which a section of a stored export is kept. */
export async function usedSections(unit: UnitOfWork, keys: readonly string[]): Promise<string[]> {
  const idOf = (key: string): string => /^exports\/([0-9a-f-]{36})-[a-z]+\.json$/.exec(key)?.[1] ?? '';
  const ids = new Set(keys.map(idOf).filter(isUuid));
  const found = await unit.read<{ id: string }>('select id from account_export where id = any(?::uuid[])', [
    [...ids],
  ]);
  const kept = new Set(found.map(({ id }) => id));
  return keys.filter((key) => kept.has(idOf(key)));
}

const present = (unit: UnitOfWork, one: AccountExport, saga: Saga | undefined): AccountExportShape => ({
  id: one.id,
  requestedAt: one.requestedAt.toISOString(),
  finishedAt: one.finishedAt?.toISOString() ?? null,
  expiresAt: one.expiresAt.toISOString(),
  parts: SECTIONS.map((service) => ({
    service,
    status: saga?.actions.find(({ name }) => name === service)?.status === 'DONE' ? 'DONE' : 'PENDING',
  })),
  document: one.finishedAt ? unit.publicPath(`/users/me/exports/${one.id}/document`) : null,
});

const incomplete = (id: string, service: string | undefined) =>
  new PlatformError(
    'UPSTREAM_UNAVAILABLE',
    `${service ? `The ${service} service does not answer now, so` : 'This takes longer than the time limit of a request, so'} the export is not complete yet. It continues in the background: GET /users/me/exports/${id} says when it is complete.`,
    { retryAfterSeconds: 5 },
  );
