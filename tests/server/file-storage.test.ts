import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FileStorage } from '#server/files/file-storage.ts';
import { filesPlaceOf } from '#server/files/files-url.ts';
import { openFileStorage } from '#server/files/open-file-storage.ts';
import { discard } from '#server/files/unused-files.ts';
import { createLogger } from '#server/observability/logger.ts';
import { streamOf } from '#server/streams.ts';
import { startS3, type OwnS3 } from '../support/s3.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const log = createLogger('files', 'silent');
let folder: string;
let s3: OwnS3;
beforeAll(async () => {
  [folder, s3] = await Promise.all([mkdtemp(path.join(os.tmpdir(), 'files-test-')), startS3()]);
});
afterAll(async () => {
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const urls = {
  folder: () => `file://${folder}/some%20place`,
  bucket: () => s3.filesUrl,
  /** The same bucket, with short time limits. */
  impatient: () => s3.impatientFilesUrl,
};
const opened: FileStorage[] = [];
const open = async (kind: keyof typeof urls, service: string = randomUUID()): Promise<FileStorage> => {
  const storage = await openFileStorage({ filesUrl: filesPlaceOf(urls[kind]()), dataDir: '' }, service, log);
  opened.push(storage);
  return storage;
};
afterEach(() => {
  s3.fail('none');
  for (const storage of opened.splice(0)) storage.close();
});

const content = async (storage: FileStorage, key: string): Promise<Buffer | undefined> => {
  const found = await storage.read(key);
  return found && buffer(found.stream);
};
const keysOf = async (storage: FileStorage, after?: string): Promise<string[]> =>
  (await streamOf(storage.files(after), [], { objectMode: true }).toArray())
    .map(({ key }: { key: string }) => key)
    .toSorted();

describe.each(['folder', 'bucket'] as const)('files in a %s', (kind) => {
  it('are read as they were stored, with length and ETag, and by every replica', async () => {
    const service = randomUUID();
    const [one, other] = [await open(kind, service), await open(kind, service)];
    const bytes = randomBytes(300_000);
    await one.put('media/a.webp', bytes, 'image/webp');
    const found = await other.read('media/a.webp');
    expect(found).toMatchObject({ length: bytes.length, etag: expect.stringMatching(/^(W\/)?"[\w-]+"$/) });
    expect((await buffer(found!.stream)).equals(bytes)).toBe(true);
    expect((await one.read('media/a.webp').then((same) => (same?.stream.destroy(), same)))?.etag).toBe(
      found!.etag,
    );
  });

  it('are replaced, deleted, and listed; those of other services are not found', async () => {
    const storage = await open(kind);
    const other = await open(kind);
    for (const key of ['b/2', 'a/1', 'c']) await storage.put(key, Buffer.from(key), 'text/plain');
    await storage.put('c', Buffer.from('new'), 'text/plain');
    expect((await content(storage, 'c'))?.toString()).toBe('new');
    expect(await content(other, 'c')).toBeUndefined();
    expect(await keysOf(storage)).toEqual(['a/1', 'b/2', 'c']);
    expect(await keysOf(other)).toEqual([]);
    expect(await keysOf(storage, 'a/1')).toEqual(storage.isOrdered ? ['b/2', 'c'] : ['a/1', 'b/2', 'c']);
    await storage.delete('c');
    await storage.delete('c');
    expect(await content(storage, 'c')).toBeUndefined();
  });

  it('are stored from a stream of unknown length, also if it is longer than one part of an upload', async () => {
    const storage = await open(kind);
    const chunks = Array.from({ length: 13 }, () => randomBytes(1024 * 1024)); // 13 MiB
    await storage.putStream('large', streamOf(chunks), 'application/json');
    expect((await content(storage, 'large'))?.equals(Buffer.concat(chunks))).toBe(true);
    await storage.putStream('small', streamOf(['{', '}']), 'application/json');
    expect((await content(storage, 'small'))?.toString()).toBe('{}');
  });

  it('are not stored if their stream fails, and nothing of them is left', async () => {
    const storage = await open(kind);
    await storage.put('kept', Buffer.from('before'), 'text/plain');
    const failing = () =>
      streamOf(
        (async function* () {
          yield randomBytes(6 * 1024 * 1024);
          throw new Error('the source has failed');
        })(),
      );
    await expect(storage.putStream('kept', failing(), 'text/plain')).rejects.toThrow('the source has failed');
    await expect(storage.putStream('new', failing(), 'text/plain')).rejects.toThrow('the source has failed');
    expect(await keysOf(storage)).toEqual(['kept']);
    expect((await content(storage, 'kept'))?.toString()).toBe('before');
  });

  it('have no key that leads out of their place', async () => {
    const storage = await open(kind);
    for (const key of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '.hidden', '', 'a\0b'])
      await expect(Promise.resolve().then(() => storage.read(key))).rejects.toThrow('not a key');
  });
});

describe('a bucket', () => {
  const failed = { code: 'UPSTREAM_UNAVAILABLE', status: 503, retryAfterSeconds: 2 };

  it.each(['refuse', 'hang'] as const)(
    'whose server has the fault "%s" makes every call fail in time',
    async (fault) => {
      const service = randomUUID();
      const [patient, storage] = [await open('bucket', service), await open('impatient', service)];
      await patient.put('there', Buffer.from('x'), 'text/plain');
      s3.fail(fault);
      const began = performance.now();
      const calls = [
        storage.put('a', randomBytes(100_000), 'text/plain'),
        storage.putStream('b', streamOf([randomBytes(100_000)]), 'text/plain'),
        storage.putStream('c', streamOf([randomBytes(6 * 1024 * 1024)]), 'text/plain'),
        storage.read('there'),
        storage.delete('there'),
        keysOf(storage),
      ];
      for (const call of await Promise.allSettled(calls))
        expect(call).toMatchObject({ status: 'rejected', reason: failed });
      expect(performance.now() - began).toBeLessThan(withinOnThisMachine(10_000)); // two attempts of 0.7 s with a pause, on a busy machine
      await discard(storage, ['there'], log); // fails silently
      s3.fail('none');
      expect((await content(patient, 'there'))?.toString()).toBe('x');
      await patient.put('a', Buffer.from('again'), 'text/plain');
    },
  );

  it.each(['cut', 'stall'] as const)(
    'whose server has the fault "%s" within a file makes the read fail, so that a part of a file is never used as the whole',
    async (fault) => {
      const service = randomUUID();
      await (await open('bucket', service)).put('long', randomBytes(2_000_000), 'text/plain');
      const storage = await open('impatient', service);
      s3.fail(fault);
      const found = await storage.read('long');
      await expect(buffer(found!.stream)).rejects.toMatchObject(failed);
    },
  );

  it('waits for a slow reader', async () => {
    const service = randomUUID();
    const bytes = randomBytes(4_000_000);
    await (await open('bucket', service)).put('long', bytes, 'text/plain');
    const { stream } = (await (await open('impatient', service)).read('long'))!;
    const first = await new Promise<Buffer>((resolve) => stream.once('data', resolve));
    stream.pause();
    // The time itself is tested: a reader who pauses for longer than the time limit of the store, 0.7 s.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(Buffer.concat([first, await buffer(stream)]).equals(bytes)).toBe(true);
  });

  it('releases the connection if the reader leaves early', async () => {
    const storage = await open('bucket');
    await storage.put('long', randomBytes(1_000_000), 'text/plain');
    for (let n = 0; n < 60; n += 1) (await storage.read('long'))!.stream.destroy(); // more than there are connections
    expect((await content(storage, 'long'))?.length).toBe(1_000_000);
  });

  it('that does not exist, or does not accept the credentials, is refused at the start by name', async () => {
    const at = (url: string) => openFileStorage({ filesUrl: filesPlaceOf(url), dataDir: '' }, 'gym', log);
    await expect(at(s3.filesUrl.replace('//files/', '//absent/'))).rejects.toThrow(
      /FILES_URL: the bucket "absent" cannot be used: it does not exist/,
    );
    const keyId = process.env.AWS_ACCESS_KEY_ID;
    process.env.AWS_ACCESS_KEY_ID = 'unknown';
    try {
      await expect(at(s3.filesUrl)).rejects.toThrow(/FILES_URL: .* access is denied/);
    } finally {
      process.env.AWS_ACCESS_KEY_ID = keyId;
    }
  });

  it('that does not answer at the start is used once it answers', async () => {
    s3.fail('refuse');
    const storage = await open('bucket');
    s3.fail('none');
    await storage.put('a', Buffer.from('x'), 'text/plain');
    expect((await content(storage, 'a'))?.toString()).toBe('x');
  });
});

describe('a folder', () => {
  it('contains only complete files, which only their owner may read', async () => {
    const storage = await open('folder', 'modes');
    await storage.put('a/b', Buffer.from('x'), 'text/plain');
    const place = path.join(folder, 'some place/modes/a');
    const { mode } = await stat(path.join(place, 'b'));
    expect((mode & 0o777).toString(8)).toBe('600');
    expect(await readdir(place)).toEqual(['b']);
  });

  it('returns a file that is deleted while it is read', async () => {
    const storage = await open('folder');
    const bytes = randomBytes(1_000_000);
    await storage.put('a', bytes, 'text/plain');
    const found = await storage.read('a');
    await storage.delete('a');
    expect((await buffer(found!.stream)).equals(bytes)).toBe(true);
  });
});

describe('FILES_URL', () => {
  it.each([
    ['s3://bucket', { kind: 's3', bucket: 'bucket', prefix: '', forcePathStyle: false }],
    [
      's3://bucket/a/b/?region=eu-central-1&endpoint=https://minio:9000&forcePathStyle=true',
      { prefix: 'a/b', region: 'eu-central-1', endpoint: 'https://minio:9000', forcePathStyle: true },
    ],
    ['file:///shared/files?shared=true', { kind: 'folder', folder: '/shared/files', isShared: true }],
    ['file:///own', { isShared: false }],
  ])('%s is accepted', (url, expected) => {
    expect(filesPlaceOf(url)).toMatchObject(expected);
  });

  it.each([
    ['/srv/files', 'expected s3://'],
    ['https://bucket', 'expected s3://'],
    ['s3://', 'expected s3://'],
    ['s3://key:secret@bucket', 'credentials are not part of it'],
    ['s3://bucket?regoin=eu', 'got "regoin"'],
    ['s3://bucket?endpoint=minio:9000', 'expected endpoint=https://host'],
    ['s3://bucket?forcePathStyle=yes', 'forcePathStyle=true'],
    ['s3://bucket/../x?timeoutMillis=0', 'timeoutMillis'],
    ['file://host/files', 'three slashes'],
    ['file:///files?shared=1', 'shared=true'],
  ])('%s is refused', (url, message) => {
    expect(() => filesPlaceOf(url)).toThrow(message);
  });
});
