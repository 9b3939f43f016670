import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DAY_MILLIS } from '#server/durations.ts';
import { uuidv7 } from '#server/ids.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

const SERVICES = ['identity', 'gym', 'wizard'] as const;
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICES });
});
afterAll(() => platform.stop());

const folder = () => path.join(platform.dataDir, 'files');
const storedFiles = async (): Promise<string[]> =>
  (await readdir(folder(), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.part')) // a file that is still being written
    .map((entry) => path.relative(folder(), path.join(entry.parentPath, entry.name)))
    .toSorted();

it('files to which no row refers are removed after a day, and no others', async () => {
  const { token } = await platform.register();
  const picture = new Blob([new Uint8Array(await pictures.normal('png'))]);
  const form = (field: string, fields: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append(field, picture, 'picture.png');
    return body;
  };
  const send = async (service: (typeof SERVICES)[number], at: string, body: unknown) => {
    const answer = await platform.rest(service, 'POST', at, { token, body });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  await send('identity', '/profile/upload', form('avatar'));
  await send('identity', '/users/me/exports', {});
  await send('gym', '/posts', form('image', { text: 'Look' }));
  const session = await send('wizard', '/', { kind: 'MEMBER_ONBOARDING' });
  await send('wizard', `/${session.id}/uploads`, form('file', { step: 'body', field: 'document' }));
  // The sections of the three started services are written without waiting for those of the other services.
  await eventually(
    async () => (await storedFiles()).filter((file) => file.includes('exports/')).length === 3,
  );
  const used = await storedFiles();
  expect(used).toHaveLength(6);

  const unused = [
    `identity/avatars/${uuidv7()}.webp`,
    `identity/exports/${uuidv7()}-gym.json`,
    `identity/exports/not-an-id-gym.json`,
    `gym/${uuidv7()}.webp`,
    `gym/${uuidv7()}.webp.${uuidv7()}.part`,
    `wizard/sessions/${session.id}/${uuidv7()}`,
    `wizard/sessions/${uuidv7()}/${uuidv7()}`,
  ];
  const young = `gym/${uuidv7()}.webp`;
  for (const file of [...unused, young]) {
    await mkdir(path.dirname(path.join(folder(), file)), { recursive: true });
    await writeFile(path.join(folder(), file), 'x');
  }
  const twoDaysAgo = new Date(Date.now() - 2 * DAY_MILLIS);
  for (const file of [...used, ...unused]) await utimes(path.join(folder(), file), twoDaysAgo, twoDaysAgo);
  for (const service of SERVICES) await platform.restart(service); // removes old rows and files at its start
  await eventually(async () => (await storedFiles()).every((file) => !unused.includes(file)));
  expect(await storedFiles()).toEqual([...used, young].toSorted());
});
