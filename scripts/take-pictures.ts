/**
 * Writes the screenshots in docs/, of a running platform with demo data:
 *
 *     node scripts/node24.mjs scripts/take-pictures.ts [http://127.0.0.1:4000]
 *
 * CHROMIUM_PATH is the browser; default: /usr/bin/chromium.
 */
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';

const gateway = process.argv[2] ?? 'http://127.0.0.1:4000';
const docs = path.join(import.meta.dirname, '..', 'docs');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await take('start-page', '/', async (page) => {
    await page.getByRole('status').filter({ hasText: 'Everything answers.' }).waitFor();
    await page.waitForTimeout(6_000); // until the second check: the times of the first one include loading the page
  });
  await take('explorer', '/explorer', async (page) => {
    await page.locator('.graphiql-query-editor .view-lines').waitFor();
    await page.getByRole('button', { name: 'Log in' }).first().click();
    await page.getByRole('button', { name: 'Maya' }).click();
    await page.getByRole('status').filter({ hasText: 'Maya' }).waitFor();
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await page.locator('.result-window').getByText('Iron Temple').first().waitFor();
  });
} finally {
  await browser.close();
}

async function take(name: string, at: string, prepare: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 }, colorScheme: 'light' });
  await page.goto(gateway + at);
  await prepare(page);
  // A palette reduces the file to a fifth, without a visible difference for text.
  await sharp(await page.screenshot())
    .png({ palette: true, colours: 64, effort: 10 })
    .toFile(path.join(docs, `${name}.png`));
  await page.close();
  console.log(`docs/${name}.png`);
}
