import path from 'node:path';
import type { Logger } from '../observability/logger.ts';
import { noteOutsideEffect } from '../outside-effects.ts';
import type { ServerSettings } from '../settings.ts';
import { diskStorage } from './file-storage.disk.ts';
import type { FileStorage } from './file-storage.ts';

/** The storage that the settings choose: a bucket or a folder by `FILES_URL`, else `<dataDir>/files`. */
export async function openFileStorage(
  { filesUrl, dataDir }: Pick<ServerSettings, 'filesUrl' | 'dataDir'>,
  service: string,
  log: Logger,
): Promise<FileStorage> {
  if (filesUrl?.kind !== 's3')
    return notingWrites(diskStorage(path.resolve(filesUrl?.folder ?? path.join(dataDir, 'files'), service)));
  // The SDK is loaded only if it is used, because that takes 0.1 s and 35 MB.
  const { s3Storage } = await import('./file-storage.s3.ts');
  return notingWrites(await s3Storage(filesUrl, service, log));
}

/** A transaction that has written or deleted a file is not repeated, because a rollback does not undo that. */
const notingWrites = (storage: FileStorage): FileStorage => ({
  put(key, bytes, contentType) {
    noteOutsideEffect();
    return storage.put(key, bytes, contentType);
  },
  putStream(key, stream, contentType) {
    noteOutsideEffect();
    return storage.putStream(key, stream, contentType);
  },
  read: (key) => storage.read(key),
  delete(key) {
    noteOutsideEffect();
    return storage.delete(key);
  },
  files: (after) => storage.files(after),
  isOrdered: storage.isOrdered,
  close: () => storage.close(),
});
