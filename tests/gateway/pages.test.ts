import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { eventually } from '../support/eventually.ts';
import { describeInBrowser, launchBrowser, skipReason, watchedPage } from '../support/browser.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

describeInBrowser(`the pages of the gateway, in a browser${skipReason}`, () => {
  let platform: TestPlatform;
  let browser: Browser;
  let host: string;
  beforeAll(async () => {
    [platform, browser] = await Promise.all([
      startPlatform({ services: SERVICE_NAMES, gateway: true }),
      launchBrowser(),
    ]);
    ({ host } = new URL(platform.url('gateway')));
  });
  // An open explorer uses processor time, which would slow the next test down.
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const open = async (path: string) => {
    const watched = await watchedPage(browser);
    await watched.page.goto(platform.url('gateway') + path);
    return watched;
  };
  const openExplorer = async () => {
    const watched = await open('/explorer');
    await watched.page.waitForSelector('.graphiql-query-editor .view-lines');
    return watched;
  };
  const logIn = async (page: Page, name: string) => {
    await page
      .getByRole('button', { name: /^(Log in|Switch account)$/ })
      .first()
      .click();
    await page.getByRole('button', { name }).click();
    await page.getByRole('status').filter({ hasText: name }).waitFor();
  };
  const example = async (page: Page, label: string, operation: string) => {
    await page.getByLabel('Example').selectOption({ label });
    await page.getByRole('button', { name: operation, exact: true }).waitFor();
  };
  const run = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();
  const result = (page: Page, text: string) =>
    page.locator('.result-window').getByText(text).first().waitFor();
  /** The text of an editor, including the lines that are not visible. */
  const textOf = (page: Page, file: string) =>
    page.evaluate<string>(
      `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(${JSON.stringify(file)})).getValue()`,
    );

  it('let a user log in and run a query, a subscription and an upload, without a request to another host', async () => {
    const { page, hosts, consoleErrors } = await openExplorer();
    await logIn(page, 'Maya');
    await run(page);
    await result(page, 'Iron Temple');
    expect(JSON.parse(await textOf(page, 'response.json'))).toMatchObject({
      data: {
        me: { nutritionDay: { totals: {} }, presence: { online: false } },
        workouts: { nodes: [{}, {}, {}] },
      },
    });

    await example(page, 'Subscription: who is online', 'WhoIsOnline');
    await run(page);
    await result(page, 'onlineUsersUpdated');
    const leo = await platform.demo('leo@iron.test');
    await platform.graph('gateway', 'mutation { goOnline { online } }', {}, { token: leo });
    await result(page, 'Leo');
    await page.getByRole('button', { name: /^Stop query/ }).click();

    await example(page, 'Upload: a new picture of mine', 'MyPicture');
    await page
      .getByLabel('$file')
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: await pictures.normal('png') });
    await run(page);
    await result(page, '/avatars/');

    expect([...hosts]).toEqual([host]);
    expect(consoleErrors).toEqual([]);
  });

  it('show why a log-in fails, work by keyboard, and store no token', async () => {
    const { page } = await openExplorer();
    await page.getByRole('button', { name: 'Log in' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Email').fill('zoe@aqua.test');
    await page.getByLabel('Password').fill('not her password');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .filter({ hasText: /password/i })
      .waitFor();
    await page.getByLabel('Password').fill(DEMO_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Zoe · MEMBER' }).waitFor();
    expect(await textOf(page, 'request-headers.json')).toMatch(/"Authorization": "Bearer ey/);

    await run(page);
    await result(page, 'Aqua Club');
    const stored = JSON.stringify(await page.evaluate('({ ...localStorage, ...sessionStorage })'));
    expect(stored).toContain('nutritionDay'); // The operation is stored.
    expect(stored).not.toMatch(/Bearer|ey[\w-]+\.ey/);

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('status').filter({ hasText: 'Not logged in' }).waitFor();
    expect(await textOf(page, 'request-headers.json')).toMatch(/"Authorization": ""/);
  });

  it('fill in the token at a log-in, and keep what the user typed or removed', async () => {
    const { page } = await openExplorer();
    const type = (headers: string) =>
      page.evaluate(
        `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith('request-headers.json')).setValue(${JSON.stringify(headers)})`,
      );
    await type('{"authorization": "Bearer typed", "X-Other": "1"}');
    await run(page);
    await result(page, 'UNAUTHENTICATED');
    await logIn(page, 'Leo');
    expect(JSON.parse(await textOf(page, 'request-headers.json'))).toEqual({
      authorization: expect.stringMatching(/^Bearer ey/),
      'X-Other': '1',
    });
    await type('{}');
    await run(page);
    // The errors stand before the data, so the editor may not render the line of "me".
    await eventually(async () => /"me": null/.test(await textOf(page, 'response.json')));
    await type('{"Authorization": ""}');
    await run(page);
    await result(page, 'Iron Temple');
    await type('{');
    await logIn(page, 'Maya');
    await page.getByRole('alert').filter({ hasText: 'not valid JSON' }).waitFor();
  });

  it('renew the token before it expires', async () => {
    const { page, consoleErrors } = await watchedPage(browser);
    await page.clock.install();
    await page.goto(`${platform.url('gateway')}/explorer`);
    await page.waitForSelector('.graphiql-query-editor .view-lines');
    await logIn(page, 'Maya');
    const before = await textOf(page, 'request-headers.json');
    const renewal = page.waitForResponse(
      (response) => response.request().postData()?.includes('Renew') ?? false,
    );
    await page.clock.fastForward(14.5 * 60 * 1000); // 30 s before the end
    await (await renewal).finished();
    await run(page);
    await result(page, 'Iron Temple');
    const after = await textOf(page, 'request-headers.json');
    expect(after).toMatch(/"Authorization": "Bearer ey/);
    expect(after).not.toBe(before);
    expect(consoleErrors).toEqual([]);
  });

  it('include a start page whose links all work, and which names the services that are down', async () => {
    const { page, hosts, consoleErrors } = await open('/');
    await page.getByRole('status').filter({ hasText: 'Everything answers.' }).waitFor();
    const links = await page.evaluate<string[]>('[...document.links].map(({ href }) => href)');
    expect(links.length).toBeGreaterThan(25);
    const answers = await Promise.all(links.map((link) => fetch(link)));
    expect(answers.filter(({ ok }) => !ok).map(({ url, status }) => `${url}: ${status}`)).toEqual([]);

    const refresh = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await platform.running('squad').stop();
    await refresh();
    await page.getByRole('status').filter({ hasText: 'Not ready: squad.' }).waitFor();
    await platform.restart('squad');
    await refresh();
    await page.getByRole('status').filter({ hasText: 'Everything answers.' }).waitFor();
    expect([...hosts]).toEqual([host]);
    expect(consoleErrors.filter((error) => !error.includes('503'))).toEqual([]);
  });

  it('are not wider than the screen of a telephone', async () => {
    for (const path of ['/', '/asyncapi', '/explorer']) {
      const { page } = await watchedPage(browser, { viewport: { width: 360, height: 740 } });
      await page.goto(platform.url('gateway') + path);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    }
  });
});
