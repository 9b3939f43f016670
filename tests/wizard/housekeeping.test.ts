import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import { listenTo } from '#server/database/notifications.ts';
import { diskStorage } from '#server/files/file-storage.disk.ts';
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
import { database } from '../../subgraphs/wizard/database.ts';
import { wizardRetention } from '../../subgraphs/wizard/retention.ts';
import type { WizardStatus } from '../../subgraphs/wizard/sessions/session.entity.ts';
import { fileKey } from '../../subgraphs/wizard/sessions/session-files.ts';
import { SESSION_CHANNEL } from '../../subgraphs/wizard/sessions/session-store.database.ts';
import { databaseStorage } from '../../subgraphs/wizard/storage.database.ts';
import { memoryStorage } from '../../subgraphs/wizard/storage.memory.ts';
import { cloneDatabase } from '../support/database.ts';

const log = createLogger('wizard', 'silent');

/** Opens the parts of a wizard service that store data, without its doors. */
async function partsIn(storageName: string) {
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
  const orm = await openDatabase(database, { server, name, migrate: false });
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
    const add = async (status: WizardStatus, expiredDaysAgo: number) => {
      const [id, fileId] = [uuidv7(), uuidv7()];
      await files.put(fileKey(id, fileId), Buffer.from('x'), 'application/pdf');
      const now = new Date();
      await storage.sessions(unitOf()).insert({
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
        createdBy: null,
        gymId: null,
        resumeTokenHash: null,
        expiresAt: new Date(now.getTime() - expiredDaysAgo * DAY_MILLIS),
        createdAt: now,
        updatedAt: now,
      });
      return { id, key: fileKey(id, fileId) };
    };
    const over = [await add('DRAFT', 31), await add('FAILED', 40), await add('CANCELLED', 31)];
    const staying = [await add('DRAFT', 29), await add('DEPLOYED', 400), await add('DEPLOYING', 400)];
    const retention = new Retention({
      settings: readSettings(serverSettings, {}),
      hasDatabase: !storage.isInMemory,
      metrics: createMetrics('wizard'),
      log,
    });
    const { signal } = new AbortController();
    for (const rule of wizardRetention({ storage, sagas, files }))
      await retention.run(rule, { unitOf, signal });
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
