import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openArchive } from '#server/backup/archive-reader.ts';
import { ArchiveWriter } from '#server/backup/archive-writer.ts';
import { FORMAT, type Manifest } from '#server/backup/manifest.ts';
import { pausableWrite, allowPauses, MAX_PAUSE_MILLIS, whilePaused } from '#server/backup/write-pause.ts';

const MANIFEST: Manifest = {
  format: FORMAT,
  platform: '1.0.0',
  postgres: 18,
  moment: '2026-11-24T00:00:00.000Z',
  databases: [],
  folders: [],
  missing: [],
};

let folder: string;
const file = (name: string): string => path.join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'platform-archive-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, manifest: Manifest = MANIFEST): Promise<Buffer> {
  const archive = new ArchiveWriter(file(name));
  await archive.add('databases/platform_gym/public.post.copy', Readable.from([Buffer.from('1\ta\n2\tb\n')]));
  await archive.finish(manifest);
  return readFile(file(name));
}

describe('the file of a backup', () => {
  it('has the parts that were written, and the writer measures them', async () => {
    const archive = new ArchiveWriter(file('whole.zip'));
    const measured = await archive.add('a', Readable.from([Buffer.from('1\ta\n2\tb\n')]));
    expect(measured).toMatchObject({ bytes: 8, lines: 2 });
    await archive.finish(MANIFEST);
    const read = await openArchive(file('whole.zip'));
    expect(read.manifest).toEqual(MANIFEST);
    expect(await text(await read.part('a'))).toBe('1\ta\n2\tb\n');
    read.close();
  });

  it('is refused if any byte is changed, if it ends after any byte, or if a byte is added', async () => {
    const bytes = await write('original.zip');
    const accepted: string[] = [];
    const attempt = async (what: string, content: Buffer) => {
      await writeFile(file('damaged.zip'), content);
      try {
        (await openArchive(file('damaged.zip'))).close();
        accepted.push(what);
      } catch (error) {
        if (!/incomplete|changed|not a backup/.test((error as Error).message))
          accepted.push(`${what}: ${(error as Error).message}`);
      }
    };
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await attempt(`byte ${at}`, changed);
      await attempt(`length ${at}`, bytes.subarray(0, at));
    }
    await attempt('a byte more', Buffer.concat([bytes, Buffer.from('\n')]));
    expect(accepted).toEqual([]);
  });

  it('is refused if a newer version has written it', async () => {
    await write('newer.zip', { ...MANIFEST, platform: '3.0.0', format: (FORMAT + 1) as typeof FORMAT });
    await expect(openArchive(file('newer.zip'))).rejects.toThrow(/newer version of the platform \(3\.0\.0/);
  });

  const stored = { bytes: 1, sha256: 'a'.repeat(64), modifiedAt: '2026-11-24T00:00:00.000Z' };

  it.each(['../../etc/passwd', '/etc/passwd', 'a/../../b', 'a//b', './a', 'a/..', '..\\a', 'C:\\a', ''])(
    'is refused if its manifest names the file "%s", which is not in its folder',
    async (outside) => {
      await write('outside.zip', {
        ...MANIFEST,
        folders: [{ name: 'files', files: [{ path: outside, ...stored }] }],
      });
      await expect(openArchive(file('outside.zip'))).rejects.toThrow(
        /manifest that is not valid .*expected a path inside the folder.* Nothing was changed/,
      );
    },
  );

  it.each(['..', '.', '', 'files/..', '/etc'])(
    'is refused if its manifest names the folder "%s"',
    async (name) => {
      await write('folder.zip', { ...MANIFEST, folders: [{ name, files: [] }] });
      await expect(openArchive(file('folder.zip'))).rejects.toThrow(
        /manifest that is not valid .*expected a name of letters/,
      );
    },
  );

  it('does not get its name before it is complete, and leaves nothing if it is given up', async () => {
    const archive = new ArchiveWriter(file('never.zip'));
    const broken = new Readable({ read: () => undefined });
    const adding = archive.add('a', broken);
    broken.destroy(new Error('the database has gone'));
    await expect(adding).rejects.toThrow('the database has gone');
    expect(await readdir(folder)).not.toContain('never.zip');
    await archive.abandon();
    expect((await readdir(folder)).filter((name) => name.startsWith('never'))).toEqual([]);
  });

  it('ends with an error if it cannot be written', async () => {
    const archive = new ArchiveWriter(path.join(folder, 'no/such/folder.zip'));
    const adding = archive.add('a', Readable.from([Buffer.from('1')])).then(() => archive.finish(MANIFEST));
    await expect(adding).rejects.toThrow('ENOENT');
    await archive.abandon();
  });
});

describe('a pause of writes', () => {
  it('waits for running writes, and lets none begin until it is over', async () => {
    const pauses = await allowPauses(folder);
    const done: string[] = [];
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const running = pausableWrite(() => mayEnd).then(() => done.push('running'));
    let later: Promise<unknown> | undefined;
    const paused = whilePaused(folder, async () => {
      done.push('paused');
      later = pausableWrite(async () => done.push('later'));
      await new Promise(setImmediate);
      done.push('resumed');
    });
    end();
    await Promise.all([running, paused]);
    await later;
    expect(done).toEqual(['running', 'paused', 'resumed', 'later']);
    await pauses.close();
  });

  it('ends at once if the backup closes its connection, although a write hangs', async () => {
    const pauses = await allowPauses(folder);
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const hanging = pausableWrite(() => mayEnd);
    const backup = net.connect(path.join(folder, 'pause.sock'));
    backup.resume().end();
    await once(backup, 'close'); // the platform has accepted it and closed it again
    expect(await pausableWrite(async () => 'written')).toBe('written');
    end();
    await hanging;
    await pauses.close();
  });

  it('ends by itself after the limit, and the backup then fails', async () => {
    const own = await mkdtemp(path.join(os.tmpdir(), 'platform-pause-'));
    const pauses = await allowPauses(own);
    const startedAt = performance.now();
    const paused = whilePaused(own, () => pausableWrite(async () => undefined));
    await expect(paused).rejects.toThrow('did not pause its writes for long enough');
    expect(performance.now() - startedAt).toBeGreaterThan(MAX_PAUSE_MILLIS - 100);
    await pauses.close();
    await rm(own, { recursive: true });
  });

  it('fails after the limit also if the backup was too busy to notice its end', async () => {
    const own = await mkdtemp(path.join(os.tmpdir(), 'platform-pause-'));
    const pauses = await allowPauses(own);
    const paused = whilePaused(own, async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MAX_PAUSE_MILLIS + 10);
    });
    await expect(paused).rejects.toThrow('did not pause its writes for long enough');
    await pauses.close();
    await rm(own, { recursive: true });
  });
});
