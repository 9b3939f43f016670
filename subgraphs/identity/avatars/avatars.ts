import { randomUUID } from 'node:crypto';
import { requireUser } from '#server/auth/viewer.ts';
import { failureOf } from '#server/database/refusals.ts';
import { notFound } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { reencoded } from '#server/files/images.ts';
import { discard } from '#server/files/unused-files.ts';
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
      await this.unit.afterCommit(() => discard(this.files, avatarKeys(before), this.unit.log));
      return user;
    } catch (error) {
      // If the answer to COMMIT was lost, the account may refer to the file. `unusedFiles` removes it later if it does not.
      if (failureOf(error) !== 'lost') await discard(this.files, avatarKeys(path), this.unit.log);
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

/** The storage keys of the picture at that path; empty if there is no picture. */
export const avatarKeys = (path: string | null | undefined): string[] => (path ? [keyOf(path)] : []);

const keyOf = (path: string): string => path.slice(1);

/** The keys among `keys` under which the picture of an account is stored. */
export async function usedAvatars(unit: UnitOfWork, keys: readonly string[]): Promise<string[]> {
  const rows = await unit.read<{ avatar: string }>(
    'select avatar from user_account where avatar = any(?::text[])',
    [keys.map((key) => `/${key}`)],
  );
  return rows.map(({ avatar }) => keyOf(avatar));
}
