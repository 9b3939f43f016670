import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { SERVICE_NAMES } from '#server/settings.ts';
import { violationsOn } from '../support/axe.ts';
import { describeInBrowser, launchBrowser, unlessSkipped, watchedPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

describeInBrowser(`the pages of the API reference, in a browser,${unlessSkipped}`, () => {
  let platform: TestPlatform;
  let browser: Browser;
  beforeAll(async () => {
    [platform, browser] = await Promise.all([
      startPlatform({ services: SERVICE_NAMES, gateway: true }),
      launchBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const open = async (url: string, { width = 1280, dark = false } = {}) => {
    const watched = await watchedPage(browser, {
      viewport: { width, height: 860 },
      colorScheme: dark ? 'dark' : 'light',
    });
    await watched.page.goto(url);
    return watched;
  };
  const openDocs = async (url: string, options = {}) => {
    const watched = await open(`${url}/docs`, options);
    await watched.page.locator('#reference h1').first().waitFor();
    return watched;
  };
  const logIn = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Log in' }).first().click();
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await page.getByRole('status').filter({ hasText: name }).waitFor();
  };

  /** What axe still finds when the page has rendered everything. */
  const lastingViolations = async (page: Page): Promise<string[]> => {
    let found: string[] = [];
    const isFree = async () => (found = await violationsOn(page)).length === 0;
    await eventually(isFree, 10_000).catch(() => undefined);
    return found;
  };

  it.each(SERVICE_NAMES)('of %s load nothing from other hosts, and log in at identity', async (service) => {
    const { page, hosts, consoleErrors } = await openDocs(platform.url(service));
    expect(await page.title()).toMatch(/service - REST reference$/);
    await logIn(page, 'Maya');
    const expected = [platform.url(service), platform.url('identity')].map((url) => new URL(url).host);
    expect(hosts).toEqual(new Set(expected));
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });

  /** Shows the operations of a tag, and opens the dialog for a request of the first one. */
  const openDialog = async (page: Page, tag: string) => {
    await page.goto(`${page.url().replace(/#.*$/, '')}#tag/${tag}`);
    await page
      .getByRole('button', { name: /^Test Request/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).first().waitFor();
  };

  it('of a service send a request with the token of the logged-in user', async () => {
    const { page, hosts, consoleErrors } = await openDocs(platform.url('gateway'));
    await logIn(page, 'Maya');
    await openDialog(page, 'locations');
    const response = page.waitForResponse((answer) => answer.url().includes('/gym/locations'));
    await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).first().click();
    expect((await response).status()).toBe(200);
    expect(await (await response).json()).toMatchObject([{ name: 'Anvil' }, { name: 'Forge' }]);
    expect([...hosts]).toEqual([new URL(platform.url('gateway')).host]);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });

  it.each([
    [1280, false],
    [1280, true],
    [390, false],
    [390, true],
  ])('have no violation that axe finds, at %i px, dark: %s', async (width, dark) => {
    for (const service of ['gateway', 'gym', 'squad'] as const) {
      const { page } = await openDocs(platform.url(service), { width, dark });
      expect({ service, violations: await lastingViolations(page) }).toEqual({ service, violations: [] });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await page.context().close();
    }
    const { page: withDialog } = await openDocs(platform.url('gym'), { width, dark });
    await openDialog(withDialog, 'locations');
    expect(await lastingViolations(withDialog)).toEqual([]);
    await withDialog.context().close();
    for (const url of [platform.url('gateway'), platform.url('squad')]) {
      const { page } = await open(`${url}/asyncapi`, { width, dark });
      expect({ url, violations: await lastingViolations(page) }).toEqual({ url, violations: [] });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await page.context().close();
    }
  });
});
