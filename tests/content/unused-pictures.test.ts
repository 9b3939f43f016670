import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DAY_MILLIS } from '#server/durations.ts';
import { uuidv7 } from '#server/ids.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { EXERCISE, PRODUCT, ROUTINE, unique } from './support.ts';

let platform: TestPlatform;
let staff: string;
let picture: Blob;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'content', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  picture = new Blob([new Uint8Array(await pictures.normal('png'))]);
});
afterAll(() => platform.stop());

const send = async (method: string, at: string, body: unknown, status: number) => {
  const answer = await platform.rest('content', method, at, { token: staff, body });
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: expect.anything() });
  return answer.body;
};
const upload = (at: string, status = 201) => {
  const form = new FormData();
  form.append('image', picture, 'picture.png');
  return send('POST', at, form, status);
};
const newProduct = (fields: object = {}) =>
  send('POST', '/products', { ...PRODUCT, sku: unique(), ...fields }, 201);

const folder = () => path.join(platform.dataDir, 'files', 'content');
const storedFiles = async (): Promise<string[]> =>
  (await readdir(folder(), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder(), path.join(entry.parentPath, entry.name)))
    .toSorted();
/** The ids of pictures in a text. */
const idsIn = (text: string): string[] =>
  [...text.matchAll(/media\/([0-9a-f-]{36})/g)].map(([, id]) => id ?? '');
/** The ids of the pictures in all columns of all tables. Events are not read: they say what was at their time. */
async function namedInRows(): Promise<Set<string>> {
  const tables = await platform.sql<{ name: string }>(
    'content',
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('event', 'event_outbox')`,
  );
  const texts: string[] = [];
  for (const { name } of tables)
    for (const { row } of await platform.sql<{ row: string }>(
      'content',
      `select to_jsonb(stored)::text as row from "${name}" as stored where to_jsonb(stored)::text like '%media/%'`,
    ))
      texts.push(row);
  return new Set(texts.flatMap(idsIn));
}

it('pictures that no row names are removed after a day; those of exercises, of all versions of routines and of products stay', async () => {
  const idOf = ({ image }: { image: string }) => idsIn(image)[0] ?? '';
  const exercise = await send('POST', '/exercises', EXERCISE, 201);
  const replaced = idOf(await upload(`/exercises/${exercise.id}/image`));
  const ofExercise = idOf(await upload(`/exercises/${exercise.id}/image`));
  const routine = await send('POST', '/workouts', ROUTINE, 201);
  const ofVersion = idOf(await upload(`/workouts/${routine.id}/image`));
  const ofRoutine = idOf(await upload(`/workouts/${routine.id}/image`));

  const product = await newProduct();
  for (let index = 0; index < 5; index += 1) await upload(`/products/${product.id}/images`);
  const [plain = '', small = '', atGateway = '', elsewhere = '', removed = ''] = idsIn(
    JSON.stringify((await send('GET', `/products/${product.id}`, undefined, 200)).images),
  );
  const images = [
    `/media/${plain}.webp`,
    `/content/media/${small}.webp?size=small`,
    `https://api.example.test/content/media/${atGateway}.webp`,
    'https://cdn.example.test/other.webp',
  ];
  await send('PUT', `/products/${product.id}`, { images }, 200);
  await newProduct({ images: [`/media/${elsewhere}.webp`] });

  const used = [ofExercise, ofVersion, ofRoutine, plain, small, atGateway, elsewhere];
  expect(await namedInRows()).toEqual(new Set(used));
  const filesOf = (id: string) => ['large', 'medium', 'small'].map((size) => `media/${id}-${size}.webp`);
  const others = [`media/${uuidv7()}-large.webp`, `media/${plain}-large.webp.${uuidv7()}.part`, 'other.webp'];
  const young = `media/${uuidv7()}-large.webp`;
  for (const file of [...others, young]) {
    await mkdir(path.dirname(path.join(folder(), file)), { recursive: true });
    await writeFile(path.join(folder(), file), 'x');
  }
  const unused = [...others, ...[replaced, removed].flatMap(filesOf)];
  expect(await storedFiles()).toEqual([...used.flatMap(filesOf), ...unused, young].toSorted());

  const twoDaysAgo = new Date(Date.now() - 2 * DAY_MILLIS);
  for (const file of await storedFiles())
    if (file !== young) await utimes(path.join(folder(), file), twoDaysAgo, twoDaysAgo);
  await platform.restart('content'); // removes old rows and files at its start
  await eventually(async () => (await storedFiles()).every((file) => !unused.includes(file)));
  expect(await storedFiles()).toEqual([...used.flatMap(filesOf), young].toSorted());
});

it('a picture for a product that has 20 of them is refused before it is stored', async () => {
  const images = Array.from({ length: 20 }, (_, index) => `https://cdn.example.test/${index}.webp`);
  const product = await newProduct({ images });
  const before = await storedFiles();
  expect(await upload(`/products/${product.id}/images`, 400)).toMatchObject({ errors: [{ path: 'image' }] });
  expect(await storedFiles()).toEqual(before);
});

it('of pictures that are uploaded at the same time, a product gets no more than 20', async () => {
  const images = Array.from({ length: 19 }, (_, index) => `https://cdn.example.test/${index}.webp`);
  const product = await newProduct({ images });
  const form = () => {
    const body = new FormData();
    body.append('image', picture, 'picture.png');
    return body;
  };
  const answers = await Promise.all(
    [1, 2, 3].map(() =>
      platform.rest('content', 'POST', `/products/${product.id}/images`, { token: staff, body: form() }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 400, 400]);
  expect((await send('GET', `/products/${product.id}`, undefined, 200)).images).toHaveLength(20);
});
