import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startProcess } from '../support/process.ts';
import { environmentOf } from './installation.ts';

/** What a restore leaves that was killed after it had put the database in its place, and before the secrets and journals. */
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'platform-unfinished-'));
  await mkdir(path.join(dataDir, 'postgres/cluster'), { recursive: true });
  await mkdir(path.join(dataDir, 'restoring/secrets'), { recursive: true });
  await mkdir(path.join(dataDir, 'restoring/squad'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

describe('a data folder whose restore was interrupted', () => {
  it.each([
    ['the platform', []],
    ['squad alone, which has its journals in files', ['squad']],
    ['a backup', ['backup', path.join(os.tmpdir(), 'platform-of-an-unfinished-restore.zip')]],
  ])('is refused by %s', async (_name, args) => {
    const started = startProcess(args, environmentOf(dataDir));
    const ready = started.printed(/[Rr]eady/).then(
      () => started.end(),
      () => undefined,
    );
    expect(await started.ended).toBe(1);
    await ready;
    expect(started.output()).toContain('was interrupted, so its data are incomplete');
  });
});
