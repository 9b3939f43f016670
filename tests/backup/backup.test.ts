import { copyFile, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openArchive } from '#server/backup/archive-reader.ts';
import type { Manifest } from '#server/backup/manifest.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startProcess } from '../support/process.ts';
import { environmentOf, startInstallation, type Installation } from './installation.ts';
import { startMembers } from './moment/members.ts';
import { PART_NAMES, partsOf, storedIn, type Parts } from './moment/parts.ts';
import { violations } from './moment/rules.ts';
import { gapsIn, ROUND, startWriter, writesIn, type Writer } from './writers.ts';

/** The number of backups while members use the platform. Each of them is compared with the rules. */
const BACKUPS = Number(process.env.BACKUPS ?? 2);
/** How many of these backups are also restored. */
const RESTORES = Number(process.env.RESTORES ?? 1);
/** The seed of the members during the first backup; it grows by one with each backup. */
const SEED = Number(process.env.BACKUP_SEED ?? 1);
const WRITERS = ['maya@iron.test', 'leo@iron.test', 'zoe@aqua.test'];

let folder: string;
let dataDir: string;
let first: Installation;
let writers: Writer[];
/** How many writes of each writer were acknowledged before each backup began. */
const before: number[][] = [];
/** Answers to other members that were not expected. */
const failures: string[] = [];
const file = (name: string): string => path.join(folder, name);

async function run(args: readonly string[], data: string): Promise<{ code: number | null; output: string }> {
  const command = startProcess(args, environmentOf(data));
  const code = await command.ended;
  return { code, output: command.output() };
}

async function manifestOf(name: string): Promise<Manifest> {
  const archive = await openArchive(file(name));
  archive.close();
  return archive.manifest;
}

const contentOf = ({ databases, folders }: Manifest) => ({ databases, folders });

async function uploadAvatar(token: string): Promise<string> {
  const form = new FormData();
  form.set(
    'avatar',
    new Blob([new Uint8Array(await pictures.normal('png'))], { type: 'image/png' }),
    'a.png',
  );
  const { body } = await first.rest('identity', 'POST', '/profile/upload', { token, body: form });
  return String(body.avatar).split('/').at(-1) ?? '';
}

/** Makes a backup while the writers and other members are in the middle of their actions. */
async function backUp(number: number): Promise<void> {
  const members = await startMembers(first, SEED + number);
  const mails = await mailsIn(dataDir);
  try {
    const written = writers.map(({ acknowledged }) => acknowledged + ROUND);
    await Promise.all(writers.map((writer, at) => writer.reached(written[at] ?? 0)));
    await eventually(async () => members.done.every((done) => done > 0));
    await eventually(async () => (await mailsIn(dataDir)) > mails);
    before[number] = writers.map(({ acknowledged }) => acknowledged);
    const { code, output } = await run(['backup', file(`${number}.zip`)], dataDir);
    if (code !== 0) throw new Error(output);
  } finally {
    await members.stop();
  }
  failures.push(...members.failures);
}

const mailsIn = async (data: string): Promise<number> =>
  (await readdir(path.join(data, 'outbox')).catch(() => [])).length;

let avatar: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'platform-backup-'));
  dataDir = file('first');
  first = await startInstallation(dataDir);
  avatar = await uploadAvatar(await first.token('maya@iron.test'));
  writers = await Promise.all(WRITERS.map((email) => startWriter(first, email)));
  for (let number = 0; number < BACKUPS; number += 1) await backUp(number);
  await Promise.all(writers.map((writer) => writer.stop()));
});

afterAll(async () => {
  await Promise.all((writers ?? []).map((writer) => writer.stop()));
  await first?.process.end('SIGTERM');
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

describe('backups while members use the platform', () => {
  const read: Parts[] = [];
  beforeAll(async () => {
    for (let number = 0; number < BACKUPS; number += 1) read.push(await partsOf(file(`${number}.zip`)));
  });
  const problemsIn = async (parts: Parts): Promise<string[]> => [
    ...violations(parts),
    ...gapsIn(await writesIn(storedIn(parts), writers)),
  ];

  it('disturb nobody', () => {
    expect([...writers.flatMap((writer) => writer.failures), ...failures]).toEqual([]);
  });

  it.each(Array.from({ length: BACKUPS }, (_, number) => number))(
    'have databases and files of one moment (backup %i)',
    async (number) => {
      expect(await problemsIn(read[number]!)).toEqual([]);
    },
  );

  // The rules would find a part that was copied earlier or later than the others.
  it.each(PART_NAMES)('break a rule if their part %s is of another moment', async (name) => {
    const [early, late] = [read.at(-2)!, read.at(-1)!];
    expect(await problemsIn({ ...late, [name]: early[name] })).not.toEqual([]);
    expect(await problemsIn({ ...early, [name]: late[name] })).not.toEqual([]);
  });
});

describe.each(Array.from({ length: RESTORES }, (_, number) => number))('backup %i under writes', (number) => {
  const restoredDir = () => file(`restored-${number}`);
  let restored: Installation;
  afterAll(async () => void (await restored?.process.end('SIGTERM')));

  it('is restored elsewhere with the same counts and checksums', async () => {
    const { code, output } = await run(['restore', file(`${number}.zip`)], restoredDir());
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringContaining('compared with the backup'),
    });
    // The restored installation does not run yet, so a backup of it is the same.
    await run(['backup', file(`${number}-again.zip`)], restoredDir());
    expect(contentOf(await manifestOf(`${number}-again.zip`))).toEqual(
      contentOf(await manifestOf(`${number}.zip`)),
    );
    expect((await stat(file(`${number}.zip`))).mode & 0o777).toBe(0o600);
  });

  it('has the data of one moment: of each writer all writes up to one, over databases and files', async () => {
    restored = await startInstallation(restoredDir());
    const found = await writesIn(restored.stored, writers);
    expect(gapsIn(found)).toEqual([]);
    for (const [index, numbers] of found.entries()) {
      expect(numbers.length).toBeGreaterThanOrEqual(before[number]?.[index] ?? 0);
      // One more than was acknowledged may have been written.
      expect(numbers.length).toBeLessThanOrEqual((writers[index]?.acknowledged ?? 0) + 1);
    }
  });

  it('works: log-in, uploaded files, check-in, squads', async () => {
    const token = await restored.token('maya@iron.test');
    const me = await restored.rest('identity', 'GET', '/users/me', { token });
    expect(me.status).toBe(200);
    expect((await restored.rest('identity', 'GET', `/avatars/${avatar}`)).status).toBe(200);
    const { body: locations } = await restored.rest('gym', 'GET', '/locations', { token });
    const checkIn = await restored.rest('gym', 'POST', '/locations/check-in', {
      token,
      body: { qrCode: me.body.qrCode, locationId: locations[0].id },
    });
    expect(checkIn.status).toBe(201);
    const { body: squads } = await restored.rest('squad', 'GET', '/squads', { token });
    const message = await restored.rest('squad', 'POST', `/squads/${squads[0].id}/messages`, {
      token,
      body: { text: 'restored' },
    });
    expect(message.status).toBe(201);
  });

  it('continues with the same keys: a token of the first installation is valid', async () => {
    const token = await first.token('admin@iron.test');
    const answer = await restored.rest('gym', 'GET', `/gym/config/${DEMO_GYMS.ironTemple.slug}`, { token });
    expect(answer.status).toBe(200);
  });
});

describe('restore refuses', () => {
  const refused = async (name: string, data = file('refused')) => {
    const content = () => readdir(data).catch(() => 'none');
    const untouched = await content();
    const { code, output } = await run(['restore', file(name)], data);
    expect(code).toBe(1);
    expect(await content()).toEqual(untouched);
    return output;
  };

  it('a file that is cut off, changed in one byte, empty, or of another program', async () => {
    const { size } = await stat(file('0.zip'));
    await copyFile(file('0.zip'), file('torn.zip'));
    await truncate(file('torn.zip'), size - 1);
    expect(await refused('torn.zip')).toContain('is incomplete');
    await copyFile(file('0.zip'), file('changed.zip'));
    const handle = await open(file('changed.zip'), 'r+');
    await handle.write('?', Math.floor(size / 2));
    await handle.close();
    expect(await refused('changed.zip')).toMatch(/was changed|is damaged/);
    await writeFile(file('foreign.zip'), await readFile('package.json'));
    expect(await refused('foreign.zip')).toContain('is not a backup of this platform');
    await writeFile(file('empty.zip'), '');
    expect(await refused('empty.zip')).toContain('is not a backup of this platform');
    expect(await refused('missing.zip')).toContain('cannot be read (ENOENT)');
  });

  it('a data folder that is in use, or not empty', async () => {
    expect(await refused('0.zip', dataDir)).toMatch(/is in use by process \d+/);
    await writeFile(path.join(folder, 'note'), 'something else');
    expect(await refused('0.zip', folder)).toContain('is not empty');
  });
});
