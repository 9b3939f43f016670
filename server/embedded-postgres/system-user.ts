import fs from 'node:fs';

/** The user that runs the server's processes; an empty object for the user that runs Node. */
export type SystemUser = { uid: number; gid: number } | Record<string, never>;

/** `nobody` on nearly every Linux. The number is the same everywhere, the name is not. */
const nobody = { uid: 65_534, gid: 65_534 };

/**
 * The user for the server's processes. If Node runs as root, this is the owner of the first of these folders that exists
 * and does not belong to root, so that the data of an ordinary user stays theirs; `nobody` if there is no such folder.
 * PostgreSQL refuses to run as root.
 */
export function systemUserFor(folders: string[]): SystemUser {
  if (process.getuid?.() !== 0) return {};
  for (const folder of folders) {
    const owner = fs.statSync(folder, { throwIfNoEntry: false });
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  return nobody;
}

/** Creates a folder that only this user and root can enter. */
export function makePrivateFolder(path: string, user: SystemUser): void {
  fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) fs.chownSync(path, user.uid, user.gid);
}
