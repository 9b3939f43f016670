import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { SERVICE_NAMES } from '#server/settings.ts';
import { violationsOn } from '../support/axe.ts';
import {
  describeInBrowser,
  launchBrowser,
  skipReason,
  watchedPage,
  type WatchedPage,
} from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

describeInBrowser(`the pages of the API reference, in a browser${skipReason}`, () => {
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

  const open = async (url: string, { width = 1280 } = {}) => {
    const watched = await watchedPage(browser, { viewport: { width, height: 860 } });
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

  /** What axe still finds after 10 s: a page that is not rendered completely may have other violations. */
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

  it('of the gateway send a request with the token of the logged-in user', async () => {
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

  /** Checks a loaded page in both colour schemes, because loading it again would take longer than the check; closes it. */
  const expectNoViolations = async (what: string, { page }: WatchedPage, width: number) => {
    const colours = new Set<unknown>();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const violations = await lastingViolations(page);
      expect({ what, colorScheme, violations }).toEqual({ what, colorScheme, violations: [] });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      colours.add(await page.evaluate('getComputedStyle(document.body).color'));
    }
    expect(colours.size).toBe(2); // the page has changed its colours
    await page.context().close();
  };

  describe.each([1280, 390])('have no violation that axe finds, light and dark, at %i px:', (width) => {
    it.each(['gateway', 'gym', 'squad'] as const)('the reference of %s', async (service) => {
      await expectNoViolations(`docs of ${service}`, await openDocs(platform.url(service), { width }), width);
    });

    it('the dialog for a request', async () => {
      const watched = await openDocs(platform.url('gym'), { width });
      await openDialog(watched.page, 'locations');
      await expectNoViolations('dialog', watched, width);
    });

    it.each(['gateway', 'squad'] as const)('the AsyncAPI reference of %s', async (service) => {
      const watched = await open(`${platform.url(service)}/asyncapi`, { width });
      await expectNoViolations(`asyncapi of ${service}`, watched, width);
    });
  });
});
