import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import { listenTo } from '#server/database/notifications.ts';
import { diskStorage } from '#server/files/file-storage.disk.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { uuidv7 } from '#server/ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { DatabaseSagaStore } from '#server/saga/saga-store.database.ts';
import { MemorySagaStore } from '#server/saga/saga-store.memory.ts';
import { Sagas } from '#server/saga/sagas.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { Retention } from '#server/retention/retention.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { wizardAccountPart } from '../../subgraphs/wizard/accounts/account-part.ts';
import { database } from '../../subgraphs/wizard/database.ts';
import { removeAbandonedSessions } from '../../subgraphs/wizard/sessions/retention.ts';
import type { WizardStorage } from '../../subgraphs/wizard/storage.ts';
import { wizardRetention } from '../../subgraphs/wizard/retention.ts';
import type { WizardStatus } from '../../subgraphs/wizard/sessions/session.entity.ts';
import { fileKey } from '../../subgraphs/wizard/sessions/session-files.ts';
import { SESSION_CHANNEL } from '../../subgraphs/wizard/sessions/session-store.database.ts';
import { databaseStorage } from '../../subgraphs/wizard/storage.database.ts';
import { memoryStorage } from '../../subgraphs/wizard/storage.memory.ts';
import { cloneDatabase } from '../support/database.ts';

const log = createLogger('wizard', 'silent');

/** Opens the parts of a wizard service that store data, without its doors. */
async function partsIn(storageName: string, timeLimits = {}) {
  if (storageName === 'memory') {
    const unitOf = () => new UnitOfWork(undefined, ANONYMOUS, log, NO_ORIGIN);
    return {
      unitOf,
      storage: memoryStorage(),
      sagaStore: new MemorySagaStore(unitOf),
      close: async () => undefined,
    };
  }
  const { server, name } = await cloneDatabase(database);
  const orm = await openDatabase(database, { server, name, migrate: false, timeLimits });
  const notifications = await listenTo(server, name, [SESSION_CHANNEL], log);
  const unitOf = () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
  return {
    unitOf,
    storage: databaseStorage(notifications),
    sagaStore: new DatabaseSagaStore(unitOf),
    async close() {
      await notifications.close();
      await orm.close(true);
    },
  };
}

describe.each(['database', 'memory'])('the housekeeping of a wizard in %s', (storageName) => {
  it('removes sessions that expired a month ago, with their files, but none that is deployed or being deployed', async () => {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'wizard-test-'));
    const { unitOf, storage, sagaStore, close } = await partsIn(storageName);
    const files = diskStorage(path.join(dataDir, 'files/wizard'));
    const sagas = new Sagas({ store: sagaStore, definitions: [], log });
    const add = (status: WizardStatus, expiredDaysAgo: number) =>
      addSession({ storage, files, unit: unitOf() }, { status, expiredDaysAgo });
    const over = [await add('DRAFT', 31), await add('FAILED', 40), await add('CANCELLED', 31)];
    const staying = [await add('DRAFT', 29), await add('DEPLOYED', 400), await add('DEPLOYING', 400)];
    const { signal } = new AbortController();
    for (const rule of wizardRetention({ storage, sagas, files }))
      await retentionOf(storage).run(rule, { unitOf, signal });
    const ids = [...over, ...staying].map(({ id }) => id);
    const remaining = (await storage.sessions(unitOf()).findByIds(ids)).map(({ id }) => id);
    expect(remaining.toSorted()).toEqual(staying.map(({ id }) => id).toSorted());
    const haveFiles = await Promise.all(
      [...over, ...staying].map(async ({ key }) => {
        const found = await files.read(key);
        found?.stream.destroy();
        return found !== undefined;
      }),
    );
    expect(haveFiles).toEqual([false, false, false, true, true, true]);
    await sagas.dispose();
    await close();
    await rm(dataDir, { recursive: true });
  });
});

describe('a file storage that is slower than a transaction may be idle', () => {
  const IDLE_LIMIT_MILLIS = 300;

  it('keeps neither retention nor the erasure of an account from removing sessions with their files', async () => {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'wizard-test-'));
    const { unitOf, storage, sagaStore, close } = await partsIn('database', {
      idle_in_transaction_session_timeout: IDLE_LIMIT_MILLIS,
    });
    const stored = diskStorage(path.join(dataDir, 'files/wizard'));
    const files: FileStorage = {
      ...stored,
      async delete(key) {
        await sleep(2 * IDLE_LIMIT_MILLIS);
        await stored.delete(key);
      },
    };
    const sagas = new Sagas({ store: sagaStore, definitions: [], log });
    const userId = uuidv7();
    const add = (createdBy: string | null, expiredDaysAgo: number) =>
      addSession({ storage, files, unit: unitOf() }, { status: 'DRAFT', createdBy, expiredDaysAgo });
    const ids = [await add(null, 31), await add(userId, -1), await add(userId, -1)].map(({ id }) => id);
    const rule = {
      what: 'sessions',
      kept: { millis: 0 },
      run: removeAbandonedSessions({ storage, sagas, files }),
    };
    const { signal } = new AbortController();
    await retentionOf(storage).run(rule, { unitOf, signal });
    const unit = unitOf();
    expect(await wizardAccountPart(unit, { storage, sagas, files }).erase(userId)).toEqual({
      outcome: 'DELETED',
      reason: null,
    });
    expect(await storage.sessions(unitOf()).findByIds(ids)).toEqual([]);
    const left: string[] = [];
    for await (const { key } of stored.files()) left.push(key);
    expect(left).toEqual([]);
    await sagas.dispose();
    await close();
    await rm(dataDir, { recursive: true });
  });
});

const retentionOf = (storage: WizardStorage) =>
  new Retention({
    settings: readSettings(serverSettings, {}),
    hasDatabase: !storage.isInMemory,
    metrics: createMetrics('wizard'),
    log,
  });

/** Stores a session with one file; returns its id and the key of the file. */
async function addSession(
  { storage, files, unit }: { storage: WizardStorage; files: FileStorage; unit: UnitOfWork },
  {
    status,
    createdBy = null,
    expiredDaysAgo,
  }: { status: WizardStatus; createdBy?: string | null; expiredDaysAgo: number },
) {
  const [id, fileId] = [uuidv7(), uuidv7()];
  await files.put(fileKey(id, fileId), Buffer.from('x'), 'application/pdf');
  const now = new Date();
  await storage.sessions(unit).insert({
    id,
    kind: 'MEMBER_ONBOARDING',
    status,
    definitionVersion: 1,
    currentStep: 'profile',
    data: {},
    files: [
      {
        id: fileId,
        step: 'body',
        field: 'document',
        filename: 'x.pdf',
        contentType: 'application/pdf',
        bytes: 1,
        uploadedAt: now.toISOString(),
      },
    ],
    version: 1,
    createdBy,
    gymId: null,
    resumeTokenHash: null,
    expiresAt: new Date(now.getTime() - expiredDaysAgo * DAY_MILLIS),
    createdAt: now,
    updatedAt: now,
  });
  return { id, key: fileKey(id, fileId) };
}
