import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, launchBrowser, skipReason } from '../support/browser.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

describeInBrowser(`the demo page${skipReason}`, () => {
  let platform: TestPlatform;
  let browser: Browser;
  const consoleErrors: string[] = [];
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'content', 'squad'] });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  const windowOf = async (email: string): Promise<Page> => {
    const page = await (await browser.newContext({ viewport: { width: 1180, height: 860 } })).newPage();
    page.setDefaultTimeout(120_000); // 2 min, for a busy machine
    page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()));
    page.on('pageerror', (error) => consoleErrors.push(String(error)));
    await page.goto(`${platform.url('squad')}/demo`);
    await page.click(`[data-email="${email}"]`);
    await page.waitForSelector('#link.online').catch((error: Error) => {
      throw new Error(`${error.message}\n${consoleErrors.join('\n')}`);
    });
    return page;
  };

  test('lets two users in two windows invite, train, chat, and end the squad; a deleted message loses its text', async () => {
    const maya = await windowOf('maya@iron.test');
    const leo = await windowOf('leo@iron.test');
    await maya.click('#online li:has-text("Leo") button');
    await leo.click('#invites button:has-text("Train")');
    await maya.waitForSelector('#participants li:has-text("Leo")');
    await maya.click('#start');
    await leo.waitForSelector('#status.ACTIVE');
    await leo.click('#done-set');
    await maya.waitForSelector('#participants li:has-text("Leo") >> text=10 × 60 kg');
    await leo.click('#rest');
    await maya.waitForSelector('#participants li:has-text("Leo") >> text=REST');
    await maya.fill('#text', 'Strong! One more?');
    await maya.press('#text', 'Enter');
    await leo.waitForSelector('#messages li:has-text("Strong! One more?")');
    await leo.fill('#text', 'Give me a second');
    await leo.press('#text', 'Enter');
    await maya.waitForSelector('#messages li:has-text("Give me a second")');
    expect(await maya.textContent('#revision')).toBe(await leo.textContent('#revision'));
    await leo.reload();
    await leo.click('[data-email="leo@iron.test"]');
    await leo.waitForSelector('#messages li:has-text("Give me a second")');
    if (process.env.SCREENSHOT_DIR) {
      await maya.screenshot({ path: `${process.env.SCREENSHOT_DIR}/maya.png` });
      await leo.screenshot({ path: `${process.env.SCREENSHOT_DIR}/leo.png` });
    }
    const token = await platform.demo('maya@iron.test');
    const [squad] = (await platform.rest('squad', 'GET', '/squads', { token })).body;
    const { body: messages } = await platform.rest('squad', 'GET', `/squads/${squad.id}/messages`, { token });
    const strong = messages.find(({ text }: { text: string }) => text.startsWith('Strong!'));
    const path = `/squads/${squad.id}/messages/${strong.id}`;
    expect((await platform.rest('squad', 'DELETE', path, { token })).status).toBe(204);
    for (const page of [maya, leo]) {
      await page.waitForSelector('#messages li:first-child:has-text("This message was deleted.")');
      expect(await page.locator('#messages li').count()).toBe(2);
      expect(await page.textContent('#messages')).not.toContain('Strong!');
    }
    await maya.click('#end');
    await leo.waitForSelector('#lobby:visible');
    expect(consoleErrors).toEqual([]);
  });
});
