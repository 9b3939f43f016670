import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { SERVICE_NAMES } from '#server/settings.ts';
import { violationsOn } from '../support/axe.ts';
import { describeInBrowser, launchBrowser, skipReason, watchedPage } from '../support/browser.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

/** The windows of a desktop and of a telephone, in both colour schemes. */
const WINDOWS = [
  { viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;

/** A deferred answer, in the form of deferSpec=20220824. */
const DEFERRED_PARTS = [
  { data: { me: { displayName: 'Maya' } }, hasNext: true },
  { incremental: [{ path: ['me'], label: 'later', data: { role: 'MEMBER' } }], hasNext: false },
];
const multipart = (parts: readonly unknown[]): string =>
  `\r\n---\r\n${parts.map((part) => `Content-Type: application/json\r\n\r\n${JSON.stringify(part)}`).join('\r\n---\r\n')}\r\n-----\r\n`;

describeInBrowser(`the live parts of the gateway's pages, in a browser${skipReason}`, () => {
  let platform: TestPlatform;
  let browser: Browser;
  beforeAll(async () => {
    [platform, browser] = await Promise.all([
      startPlatform({ services: SERVICE_NAMES, gateway: true }),
      launchBrowser(),
    ]);
  });
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const open = async (path: string, window: (typeof WINDOWS)[number] = WINDOWS[0]) => {
    const watched = await watchedPage(browser, window);
    await watched.page.goto(platform.url('gateway') + path);
    return watched;
  };
  const openExplorer = async (window?: (typeof WINDOWS)[number]) => {
    const watched = await open('/explorer', window);
    await watched.page.waitForSelector('.graphiql-query-editor .view-lines');
    return watched;
  };
  const logIn = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Log in' }).first().click();
    await page.getByRole('button', { name }).click();
    await page.getByRole('status').filter({ hasText: name }).waitFor();
  };
  const run = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();
  const panel = (page: Page) => page.getByRole('region', { name: 'Live results' });
  const setQuery = (page: Page, query: string) =>
    page.evaluate(
      `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith('operation.graphql')).setValue(${JSON.stringify(query)})`,
    );

  it('list the events of a subscription as they arrive, and say when it is stopped', async () => {
    const { page, consoleErrors } = await openExplorer();
    await logIn(page, 'Maya');
    await page.getByLabel('Example').selectOption({ label: 'Subscription: who is online' });
    await page.getByRole('button', { name: 'WhoIsOnline' }).waitFor();
    await run(page);
    await panel(page).getByText('Live').first().waitFor();
    await panel(page).getByText('1 event,').waitFor();
    const leo = await platform.demo('leo@iron.test');
    await platform.graph('gateway', 'mutation { goOnline { online } }', {}, { token: leo });
    await panel(page).getByText('2 events,').waitFor();
    expect(await panel(page).getByRole('listitem').first().textContent()).toContain('"Leo"');
    await page.getByRole('button', { name: /^Stop query/ }).click();
    await panel(page).getByText('Stopped').waitFor();
    expect(consoleErrors).toEqual([]);
  });

  it('merge the parts of a deferred answer, and list each part', async () => {
    const { page } = await openExplorer();
    let accepted: string | undefined;
    await page.route('**/graphql', (route) => {
      if (!route.request().postData()?.includes('@defer')) return route.continue();
      accepted = route.request().headers().accept;
      return route.fulfill({
        contentType: 'multipart/mixed; boundary="-"; deferSpec=20220824',
        body: multipart(DEFERRED_PARTS),
      });
    });
    await setQuery(page, '{ me { displayName ... @defer(label: "later") { role } } }');
    await run(page);
    await page.locator('.result-window').getByText('"MEMBER"').waitFor();
    await page.locator('.result-window').getByText('"Maya"').waitFor();
    await panel(page).getByText('2 parts,').waitFor();
    await panel(page).getByText('The answer is complete').waitFor();
    expect(await panel(page).getByRole('listitem').first().textContent()).toContain(
      'me (later): {"role":"MEMBER"}',
    );
    expect(accepted).toBe('multipart/mixed;deferSpec=20220824, application/json');
  });

  it('find a field by the words of its description, by keyboard alone', async () => {
    const { page } = await openExplorer();
    const opener = page.getByRole('button', { name: 'Search the docs' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Search the docs' });
    await dialog.getByText(/^Searches \d+ names/).waitFor();
    await page.keyboard.type('occupancy every change');
    await dialog.getByText(/^Subscription\.occupancyChanged\(locationId: ID!\)/).waitFor();
    await page.getByLabel('Words').fill('zzz zzz');
    await dialog.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    expect(await opener.evaluate('document.activeElement.id')).toBe('open-docs-search');
  });

  it('show the people and events of the running system, and each change of them', async () => {
    const { page, consoleErrors } = await open('/');
    const live = page.locator('#live-system');
    await live.getByText('Iron Temple, Forge').waitFor();
    await live.getByText('Live', { exact: true }).waitFor();
    const maya = await platform.demo('maya@iron.test');
    await platform.graph(
      'gateway',
      'mutation ($input: CheckInInput!) { checkIn(input: $input) { id } }',
      { input: { qrCode: await qrCodeOf(maya), locationId: '01900000-0000-7000-8301-030100000001' } },
      { token: maya },
    );
    await live.getByText('1 of 80').waitFor();
    await live.getByText('check_in.opened').waitFor();
    await page.locator('.system [data-node="gym"]').getByText('1 event').waitFor();
    expect(consoleErrors).toEqual([]);
  });

  const qrCodeOf = async (token: string): Promise<string> => {
    const { data } = await platform.graph('gateway', '{ me { qrCode } }', {}, { token });
    return (data as { me: { qrCode: string } }).me.qrCode;
  };

  it.each(WINDOWS)(
    'have no violation that axe finds, with $viewport.width pixels, $colorScheme',
    async (window) => {
      const { page } = await openExplorer(window);
      await logIn(page, 'Leo');
      await run(page);
      await page.locator('.result-window').getByText('Iron Temple').first().waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await page.getByRole('button', { name: 'Search the docs' }).click();
      await page.keyboard.type('check in');
      await page.getByRole('dialog').getByText('found').waitFor();
      expect(await violationsOn(page)).toEqual([]);

      const { page: start } = await open('/', window);
      await start.locator('#live-system').getByText('Live', { exact: true }).waitFor();
      expect(await violationsOn(start)).toEqual([]);
    },
  );

  it('show the answer within the window of a telephone', async () => {
    const { page } = await openExplorer(WINDOWS[1]);
    await logIn(page, 'Maya');
    await run(page);
    await page.locator('.result-window').getByText('"Maya"').waitFor();
    const box = await page.locator('.result-window').boundingBox();
    expect(box?.height).toBeGreaterThan(200);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(WINDOWS[1].viewport.height);
  });
});
