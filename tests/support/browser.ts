import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

const hasBrowser = existsSync(executablePath);

/** A `describe` for tests that need a browser. If there is none, they are skipped. Its title ends with `skipReason`. */
export const describeInBrowser = hasBrowser ? describe : describe.skip;
/** Why the tests of `describeInBrowser` are skipped; empty if they run. */
export const skipReason = hasBrowser ? '' : ` (skipped: no Chromium at ${executablePath})`;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

/** A browser window, with its requests and errors. */
export interface WatchedPage {
  page: Page;
  /** `host:port` of all its requests, sockets included. */
  hosts: Set<string>;
  /** Errors in its console: of scripts, of refused requests and of the content security policy. */
  consoleErrors: string[];
}

export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions = { viewport: { width: 1280, height: 860 } },
): Promise<WatchedPage> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(120_000); // 2 min, for a busy machine
  const hosts = new Set<string>();
  const consoleErrors: string[] = [];
  const saw = (url: string) => {
    const { protocol, host } = new URL(url);
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host);
  };
  page.on('request', (request) => saw(request.url()));
  page.on('websocket', (socket) => saw(socket.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(String(error)));
  return { page, hosts, consoleErrors };
}
