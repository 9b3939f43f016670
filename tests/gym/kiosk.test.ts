import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { violationsOn } from '../support/axe.ts';
import { describeInBrowser, launchBrowser, skipReason, watchedPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { newLocation, newMember, peopleInside } from './support.ts';

const DESKTOP = { width: 1280, height: 860 };
const TELEPHONE = { width: 390, height: 844 };

describeInBrowser(`the kiosk, in a browser${skipReason}`, () => {
  let platform: TestPlatform;
  let browser: Browser;
  let staff: string;
  beforeAll(async () => {
    [platform, browser] = await Promise.all([
      startPlatform({ services: ['identity', 'gym'], gateway: true }),
      launchBrowser(),
    ]);
    staff = await platform.demo('admin@iron.test');
  });
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  async function newClient(locationId: string | null) {
    const { body } = await platform.rest('identity', 'POST', '/api-clients', {
      token: staff,
      body: { name: 'Kiosk', scopes: ['check-in'], locationId },
    });
    return body as { id: string; secret: string };
  }
  const open = async (
    options: BrowserContextOptions = { viewport: DESKTOP },
    base = `${platform.url('gateway')}/gym`,
  ) => {
    const watched = await watchedPage(browser, options);
    const answer = await watched.page.goto(`${base}/kiosk`);
    expect(answer?.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
    return watched;
  };
  async function connect(page: Page, { id, secret }: { id: string; secret: string }): Promise<void> {
    await page.getByLabel('Client id').fill(id);
    await page.getByLabel('Secret').fill(secret);
    await page.getByRole('button', { name: 'Connect' }).click();
  }
  /** A connected kiosk at a new location. */
  async function kiosk(options: BrowserContextOptions = { viewport: DESKTOP }, location: object = {}) {
    const name = `Hall ${Math.random().toString(36).slice(2, 8)}`;
    const hall = await newLocation(platform, staff, { name, ...location });
    const client = await newClient(hall);
    const watched = await open(options);
    await connect(watched.page, client);
    await watched.page.getByRole('heading', { name, level: 1 }).waitFor();
    await expectHeading(watched.page, 'Show your code');
    return { ...watched, hall, client };
  }
  const expectHeading = (page: Page, title: string | RegExp) =>
    page.locator('#answer').getByRole('heading', { name: title }).waitFor();
  /** Types a code and Enter, while no field has the focus, as a scanner does that works as a keyboard. */
  async function scan(page: Page, code: string): Promise<void> {
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.type(code);
    await page.keyboard.press('Enter');
  }
  const visitsAt = (hall: string) =>
    platform.sql('gym', 'select user_id, source, checked_out_at from check_in where location_id = $1', [
      hall,
    ]);

  it('checks members in and out with a scanner that works as a keyboard, and shows name, picture and occupancy', async () => {
    const { page, hall, hosts, consoleErrors } = await kiosk();
    const maya = await newMember(platform);
    const form = new FormData();
    form.append(
      'avatar',
      new Blob([new Uint8Array(await pictures.normal('png', 64, 64))], { type: 'image/png' }),
      'a.png',
    );
    await platform.rest('identity', 'POST', '/profile/upload', { token: maya.token, body: form });
    await platform.rest('identity', 'PUT', '/profile', { token: maya.token, body: { displayName: 'Maya' } });
    const { body } = await platform.rest('identity', 'GET', '/users/me/qr', { token: maya.token });
    await scan(page, body.code as string);
    await expectHeading(page, 'Welcome, Maya');
    await page.getByText('You are checked in.').waitFor();
    await page.getByText('1 of 10 inside').waitFor();
    await page.waitForFunction("document.querySelector('#picture img')?.naturalWidth > 0");
    if (process.env.SCREENSHOT_DIR)
      await page.screenshot({ path: `${process.env.SCREENSHOT_DIR}/kiosk-welcome.png` });
    expect(await visitsAt(hall)).toMatchObject([{ user_id: maya.id, source: 'kiosk', checked_out_at: null }]);
    await page.getByText('Check out').click();
    await scan(page, maya.qrCode);
    await expectHeading(page, 'Goodbye');
    await page.getByText('0 of 10 inside').waitFor();
    expect([...hosts]).toEqual([new URL(platform.url('gateway')).host]);
    expect(consoleErrors).toEqual([]);
  });

  it('says why a member may not come in', async () => {
    const { page, hall } = await kiosk({ viewport: DESKTOP }, { qrPolicy: 'SHORT_LIVED' });
    const maya = await newMember(platform);
    await scan(page, maya.qrCode);
    await expectHeading(page, 'Please use your app');
    await scan(page, 'no such code');
    await expectHeading(page, 'Unknown code');
    await platform.rest('gym', 'PUT', `/locations/${hall}`, {
      token: staff,
      body: { openingHours: {}, qrPolicy: 'ANY' },
    });
    await scan(page, (await newMember(platform)).qrCode);
    await expectHeading(page, 'We are closed');
    if (process.env.SCREENSHOT_DIR)
      await page.screenshot({ path: `${process.env.SCREENSHOT_DIR}/kiosk-refused.png` });
  });

  it('stores scans while there is no network; each has one effect later, also if an answer is lost', async () => {
    const { page, hall } = await kiosk();
    const people = await Promise.all(Array.from({ length: 3 }, () => newMember(platform)));
    await page.context().setOffline(true);
    for (const { qrCode } of people) {
      await scan(page, qrCode);
      await expectHeading(page, 'Your code is saved');
    }
    await page.getByText('No connection: 3 scans are saved').waitFor();
    expect(await visitsAt(hall)).toEqual([]);
    // The answer to the first request is lost: the page sends it again, with the same key.
    const keys: string[] = [];
    await page.route('**/locations/check-in', async (route) => {
      keys.push(route.request().headers()['idempotency-key'] ?? '');
      if (keys.length > 1) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.context().setOffline(false);
    await eventually(async () => (await visitsAt(hall)).length === 3);
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(new Set(keys).size).toBe(3);
    expect(keys[1]).toBe(keys[0]);
    expect(await peopleInside(platform, staff, hall)).toBe(3);

    await page.context().setOffline(true);
    await page.getByText('Check out').click();
    await scan(page, people[0]?.qrCode ?? '');
    await expectHeading(page, 'Your code is saved');
    await page.context().setOffline(false);
    await eventually(async () => (await peopleInside(platform, staff, hall)) === 2);
  });

  it('sends the scans from before a reload of the page, and needs no new set-up', async () => {
    const { page, hall } = await kiosk();
    const maya = await newMember(platform);
    await page.route('**/locations/check-in', (route) => route.abort());
    await scan(page, maya.qrCode);
    await expectHeading(page, 'Your code is saved');
    await page.unroute('**/locations/check-in');
    await page.reload();
    await expectHeading(page, 'Show your code');
    await eventually(async () => (await visitsAt(hall)).length === 1);
  });

  it('opens while there is no network, and stores scans', async () => {
    const { page, hall } = await kiosk();
    const maya = await newMember(platform);
    // The first load started the service worker, which stores the files at the next load.
    await page.waitForFunction('navigator.serviceWorker.controller !== null');
    await page.reload();
    await expectHeading(page, 'Show your code');
    await page.context().setOffline(true);
    await page.reload();
    await expectHeading(page, 'Show your code');
    await page.getByText('No connection', { exact: true }).waitFor();
    await scan(page, maya.qrCode);
    await expectHeading(page, 'Your code is saved');
    await page.context().setOffline(false);
    await eventually(async () => (await visitsAt(hall)).length === 1);
  });

  it('reads codes with the camera, if the browser can', async () => {
    const maya = await newMember(platform);
    const hall = await newLocation(platform, staff);
    const client = await newClient(hall);
    const watched = await watchedPage(browser, { viewport: TELEPHONE });
    // Chromium on Linux has no BarcodeDetector, and a test machine no camera.
    await watched.page.addInitScript(`
      globalThis.BarcodeDetector = class {
        static getSupportedFormats = async () => ['qr_code'];
        detect = async () => [{ rawValue: ${JSON.stringify(maya.qrCode)} }];
      };
      Object.defineProperty(navigator, 'mediaDevices', { value: {
        getUserMedia: async () => document.createElement('canvas').captureStream(),
      } });`);
    await watched.page.goto(`${platform.url('gateway')}/gym/kiosk`);
    await connect(watched.page, client);
    await watched.page.getByRole('button', { name: 'Use the camera' }).click();
    await expectHeading(watched.page, /^Welcome, /);
    await watched.page.getByRole('button', { name: 'Use the camera' }).click();
    expect(await watched.page.locator('video').isVisible()).toBe(false);
    expect(await visitsAt(hall)).toHaveLength(1);
    expect(watched.consoleErrors).toEqual([]);
  });

  it('refuses a wrong secret, offers a choice of locations, and can be disconnected by staff', async () => {
    const client = await newClient(null);
    const { page } = await open();
    await connect(page, { ...client, secret: 'wrong' });
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    await connect(page, client);
    await page.getByLabel('Location').selectOption({ label: 'Anvil' });
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('heading', { name: 'Anvil' }).waitFor();
    expect(await page.getByRole('button', { name: 'Disconnect' }).isVisible()).toBe(false);
    await page.evaluate("location.hash = 'setup'");
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByLabel('Client id').waitFor();
    await page.reload();
    await page.getByLabel('Client id').waitFor();
  });

  it('asks for a new set-up if its machine client is deleted, and works with another one', async () => {
    const { page, client, hall } = await kiosk();
    await platform.rest('identity', 'DELETE', `/api-clients/${client.id}`, { token: staff });
    const maya = await newMember(platform);
    await page.reload(); // a token of the deleted client may be accepted for 5 s
    await page.getByLabel('Client id').waitFor();
    await connect(page, await newClient(hall));
    await expectHeading(page, 'Show your code');
    await scan(page, maya.qrCode);
    await expectHeading(page, /^Welcome/);
  });

  it('works at the port of the service, too, with identity at another origin', async () => {
    const hall = await newLocation(platform, staff);
    const { page, consoleErrors } = await open({ viewport: DESKTOP }, platform.url('gym'));
    await connect(page, await newClient(hall));
    await expectHeading(page, 'Show your code');
    const maya = await newMember(platform);
    await page.getByLabel('Code').fill(maya.qrCode);
    await page.getByRole('button', { name: 'Send' }).click();
    await expectHeading(page, /^Welcome/);
    expect(consoleErrors).toEqual([]);
  });

  it.each([
    ['a telephone', TELEPHONE, 'light'],
    ['a telephone, dark', TELEPHONE, 'dark'],
    ['a desktop', DESKTOP, 'light'],
    ['a desktop, dark', DESKTOP, 'dark'],
  ] as const)('has no problems of accessibility on %s', async (name, viewport, colorScheme) => {
    const found: Record<string, string[]> = {};
    const setup = await open({ viewport, colorScheme });
    await setup.page.getByLabel('Client id').waitFor();
    found.setup = await violationsOn(setup.page);
    const { page } = await kiosk({ viewport, colorScheme });
    const check = async (state: string) => {
      found[state] = await violationsOn(page);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      if (process.env.SCREENSHOT_DIR)
        await page.screenshot({ path: `${process.env.SCREENSHOT_DIR}/kiosk-${state} ${name}.png` });
    };
    await check('idle');
    const maya = await newMember(platform);
    await scan(page, maya.qrCode);
    await expectHeading(page, /^Welcome/);
    await check('welcome');
    await scan(page, 'no such code');
    await expectHeading(page, 'Unknown code');
    await check('refused');
    await page.context().setOffline(true);
    await scan(page, 'another code');
    await expectHeading(page, 'Your code is saved');
    await check('offline');
    expect(found).toEqual({ setup: [], idle: [], welcome: [], refused: [], offline: [] });
  });
});
