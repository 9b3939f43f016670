import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { libraryExerciseId } from '../../subgraphs/content/exercises/library-exercise.ts';
import { violationsOn } from '../support/axe.ts';
import { describeInBrowser, launchBrowser, skipReason, watchedPage } from '../support/browser.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { BENCH, hoursAgo, PULL_UP, type Person } from './training-support.ts';

const SCHEMES = ['light', 'dark'] as const;
const DEADLIFT = libraryExerciseId('Barbell Deadlift');
const LONG_NAME =
  'Single-Arm Half-Kneeling Landmine Press with Rotation and a Pause of Three Seconds at the Top & <Bottom>';
const DAY_HOURS = 24;

/** A CSV file with one training for each item: of one hour, with one set, so many days ago. */
const csvOf = (exerciseId: string, sets: readonly (readonly [daysAgo: number, measures: string])[]): string =>
  [
    'startedAt,endedAt,exerciseId,reps,weightKg',
    ...sets.map(
      ([days, measures]) =>
        `${hoursAgo(days * DAY_HOURS + 2)},${hoursAgo(days * DAY_HOURS + 1)},${exerciseId},${measures}`,
    ),
  ].join('\n');

interface Shown {
  /** The role, name and description that a screen reader gets. */
  read: { role: string; name: string; description: string };
  /** Texts that overlap another one or are cut. */
  badTexts: string[];
  /** The contrast of each kind of text or mark with what is behind it. */
  contrasts: Record<string, number>;
}

/** Runs in the browser. */
const MEASURE = `(() => {
  const svg = document.querySelector('main svg');
  const texts = [...svg.querySelectorAll('text')].map((text) => ({ words: text.textContent, box: text.getBoundingClientRect() }));
  const whole = svg.getBoundingClientRect();
  const badTexts = [];
  for (const [index, { words, box }] of texts.entries()) {
    if (box.left < whole.left || box.right > whole.right || box.top < whole.top || box.bottom > whole.bottom) badTexts.push('cut: ' + words);
    for (const other of texts.slice(index + 1))
      if (box.left < other.box.right && other.box.left < box.right && box.top + 2 < other.box.bottom && other.box.top + 2 < box.bottom)
        badTexts.push(words + ' overlaps ' + other.words);
  }
  const rgb = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((part) => { const c = part / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
  const luminance = (color) => { const [r, g, b] = rgb(color); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const contrast = (one, other) => { const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
  const style = (selector, property) => { const found = svg.querySelector(selector); return found && getComputedStyle(found)[property]; };
  const paper = style('.paper', 'fill');
  const body = style('.body', 'fill');
  const pairs = {
    title: [style('text.title', 'fill'), paper], soft: [style('text.soft', 'fill'), paper], name: [style('text.name', 'fill'), paper],
    bestName: [style('text.best-name', 'fill'), paper], line: [style('.line', 'stroke'), paper], dot: [style('.dot', 'fill'), paper],
    best: [style('circle.best', 'stroke'), paper], main: [style('.main', 'fill'), body], helps: [style('.helps', 'stroke'), body],
  };
  const contrasts = Object.fromEntries(Object.entries(pairs).filter(([, [front]]) => front).map(([kind, [front, back]]) => [kind, contrast(front, back)]));
  return { badTexts, contrasts };
})()`;

/** At least 4.5 for texts and 3 for marks, as WCAG 2.2 demands for AA. */
const LEAST: Readonly<Record<string, number>> = { title: 4.5, soft: 4.5, name: 4.5, bestName: 4.5 };

describeInBrowser(`the chart of a progress and the map of muscles, in a browser${skipReason}`, () => {
  let platform: TestPlatform;
  let browser: Browser;
  let ana: Person;
  beforeAll(async () => {
    [platform, browser] = await Promise.all([
      startPlatform({ services: ['identity', 'content'] }),
      launchBrowser(),
    ]);
    ana = await platform.register();
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const importSets = async (...args: Parameters<typeof csvOf>) => {
    const { status, body } = await platform.rest('content', 'POST', '/trainings/import?timezone=UTC', {
      token: ana.token,
      body: csvOf(...args),
      headers: { 'content-type': 'text/csv' },
    });
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: [] });
  };
  const addExercise = async (name: string, primaryMuscles: string[], secondaryMuscles: string[] = []) => {
    const body = { name, primaryMuscles, secondaryMuscles, modality: 'WEIGHT_REPS' };
    const added = await platform.rest('content', 'POST', '/exercises', { token: ana.token, body });
    expect(added.status).toBe(201);
    return added.body.id;
  };
  const shown = async (page: Page, path: string): Promise<Shown> => {
    const { status, body } = await platform.rest('content', 'GET', path, { token: ana.token });
    expect(status).toBe(200);
    await page.setContent(
      `<!doctype html><html lang="en"><head><title>Picture</title></head><body><main><h1>Picture</h1>${body}</main></body></html>`,
    );
    expect(await violationsOn(page)).toEqual([]);
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const node = nodes.find(
      ({ role, name }) => /^(image|img|graphics-document)$/i.test(role?.value) && name?.value,
    );
    const read = {
      role: node?.role?.value,
      name: node?.name?.value,
      description: node?.description?.value ?? '',
    };
    return { read, ...(await page.evaluate<Omit<Shown, 'read'>>(MEASURE)) };
  };
  /** Checks the picture in both colour schemes. Returns what a screen reader gets, which is the same in both. */
  const inBothSchemes = async (path: string): Promise<Shown['read']> => {
    const found: Shown[] = [];
    for (const colorScheme of SCHEMES) {
      const { page, consoleErrors } = await watchedPage(browser, {
        viewport: { width: 900, height: 700 },
        colorScheme,
      });
      const picture = await shown(page, path);
      expect({ path, colorScheme, badTexts: picture.badTexts }).toEqual({ path, colorScheme, badTexts: [] });
      for (const [kind, contrast] of Object.entries(picture.contrasts))
        expect({ path, colorScheme, kind, isEnough: contrast >= (LEAST[kind] ?? 3) }).toMatchObject({
          isEnough: true,
        });
      expect(consoleErrors).toEqual([]);
      found.push(picture);
      await page.context().close();
    }
    expect(found[0]?.contrasts).not.toEqual(found[1]?.contrasts); // each scheme has colours of its own
    expect(found[0]?.read).toEqual(found[1]?.read);
    return found[0]?.read as Shown['read'];
  };

  it('a chart says in words what it shows: nothing, one training, repetitions, five years, a long name', async () => {
    expect(await inBothSchemes(`/exercises/${BENCH}/progress.svg`)).toEqual({
      role: 'image',
      name: 'Barbell Bench Press: estimated one-repetition maximum, kg',
      description: 'Nothing was logged.',
    });
    await importSets(BENCH, [[3, '1,102.5']]);
    expect(await inBothSchemes(`/exercises/${BENCH}/progress.svg`)).toMatchObject({
      name: expect.stringMatching(/, kg, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/),
      description: 'From 102.5 to 102.5 in 1 training; the best is 102.5.',
    });
    await importSets(
      PULL_UP,
      Array.from({ length: 12 }, (_unused, index) => [index * 3, `${8 + (index % 4)},`]),
    );
    expect(await inBothSchemes(`/exercises/${PULL_UP}/progress.svg?metric=REPS`)).toMatchObject({
      name: expect.stringMatching(/^Pull-Up: most repetitions in a set, /),
      description: 'From 11 to 8 in 12 trainings; the best is 11.',
    });
    await importSets(
      DEADLIFT,
      Array.from({ length: 520 }, (_unused, index) => [index * 3.5, `5,${200 - Math.floor(index / 5)}`]),
    );
    expect(await inBothSchemes(`/exercises/${DEADLIFT}/progress.svg?metric=MAX_WEIGHT`)).toMatchObject({
      description: 'From 97 to 200 in 520 trainings; the best is 200.',
    });
    const own = await addExercise(LONG_NAME, ['Chest']);
    await importSets(own, [
      [40, '1000,1000'],
      [4, '900,900'],
    ]);
    expect((await inBothSchemes(`/exercises/${own}/progress.svg?metric=VOLUME`)).name).toContain(
      `${LONG_NAME}: volume of a training, kg, `,
    );
  });

  it('a map of muscles says in words which muscles work, and which help', async () => {
    expect(await inBothSchemes(`/exercises/${BENCH}/muscles.svg`)).toEqual({
      role: 'image',
      name: 'Barbell Bench Press: muscles',
      description: expect.stringMatching(/^Main: chest\. Helping: \w.+\.$/),
    });
    const { body: facets } = await platform.rest('content', 'GET', '/muscles', { token: ana.token });
    const muscles: string[] = facets.map(({ name }: { name: string }) => name);
    const [main, helping] = [muscles.slice(0, 3), muscles.slice(3, 13)];
    const own = await addExercise(`${LONG_NAME} II`, main, helping);
    expect(await inBothSchemes(`/exercises/${own}/muscles.svg`)).toMatchObject({
      description: `Main: ${main.join(', ')}. Helping: ${helping.join(', ')}.`,
    });
    const unknown = await addExercise('Own move', ['Left thumb']);
    expect((await inBothSchemes(`/exercises/${unknown}/muscles.svg`)).description).toBe(
      'Main: left thumb. Helping: none.',
    );
  });
});
