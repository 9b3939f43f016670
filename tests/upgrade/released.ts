import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
/** The commit of the last release. */
const COMMIT = readFileSync(path.join(ROOT, 'schema/released/COMMIT'), 'utf8').trim();
/** What a release needs to run. */
const PROGRAM = ['main.ts', 'platform.ts', 'package.json', 'server', 'gateway', 'subgraphs', 'schema'];

/** Why the code of the last release cannot be unpacked; undefined if this clone has it. */
export const whyWithoutRelease = ((): string | undefined => {
  try {
    execFileSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return undefined;
  } catch {
    return `this clone has no commit ${COMMIT.slice(0, 8)}; "git fetch --unshallow" gets the history`;
  }
})();

export interface Release {
  /** The path of its main.ts. */
  readonly program: string;
  remove(): Promise<void>;
}

/** The code of the last release in a folder of its own, with the packages of this one. */
export async function unpackRelease(): Promise<Release> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'platform-release-'));
  const archive = execFileSync('git', ['archive', COMMIT, '--', ...PROGRAM], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024, // 256 MiB
  });
  execFileSync('tar', ['--extract', '--directory', folder], { input: archive });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return {
    program: path.join(folder, 'main.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
