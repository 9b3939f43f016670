import { randomUUID } from 'node:crypto';
import { requireUser } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { reencoded } from '#server/files/images.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Profiles } from '../profiles/profiles.ts';
import type { UserShape } from '../users/users.shapes.ts';

const SIDE = 512; // pixels

/** Profile pictures. A picture is public at its URL, which is random and changes with each picture. */
export class Avatars {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;
  private readonly files: FileStorage;

  constructor(unit: UnitOfWork, profiles: Profiles, files: FileStorage) {
    this.unit = unit;
    this.profiles = profiles;
    this.files = files;
  }

  /** Encodes the file as the viewer's new picture, and deletes their previous one. */
  async upload(file: { field: string; bytes: Buffer }): Promise<UserShape> {
    requireUser(this.unit.viewer);
    const picture = await reencoded(file.bytes, { field: file.field, maxSide: SIDE, fit: 'cover' });
    const path = `/avatars/${randomUUID()}.${picture.extension}`;
    let before: string | null | undefined;
    await this.files.put(keyOf(path), picture.bytes, picture.contentType);
    try {
      const user = await this.profiles.changeOwn((changed) => {
        before = changed.avatar;
        changed.avatar = path;
      });
      await this.unit.afterCommit(() => removeAvatar(this.files, before));
      return user;
    } catch (error) {
      await removeAvatar(this.files, path);
      throw error;
    }
  }

  /** The picture with that file name, e.g. `<uuid>.webp`. @throws NOT_FOUND */
  async read(name: string) {
    const picture = /^[0-9a-f-]{36}\.webp$/.test(name)
      ? await this.files.read(keyOf(`/avatars/${name}`))
      : undefined;
    if (!picture) throw notFound('picture', name.slice(0, 100));
    return picture;
  }
}

async function removeAvatar(files: FileStorage, path: string | null | undefined): Promise<void> {
  if (path) await files.delete(keyOf(path));
}

/** The storage keys of the files of the picture at that path; empty if there is no picture. */
export const avatarKeys = (path: string | null | undefined): string[] => (path ? [keyOf(path)] : []);

const keyOf = (path: string): string => path.slice(1);
