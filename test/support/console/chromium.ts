/**
 * The console in a real browser: Debian's Chromium, where it is installed. Its headless shell has
 * no window to draw, and starts with a third of the work.
 */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import type { TestServer } from '../server.js';

const program = ['chromium-headless-shell', 'chromium', 'chromium-browser']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));

/** It asks for nothing but what the page asks for. */
const options = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A loaded machine takes long to draw a page. */
const patienceMs = 60_000;

/**
 * The browser says so where the machine's networks change: tests of clusters make and remove some.
 */
const networkChanged = 'net::ERR_NETWORK_CHANGED';

/** Of a test in a browser. */
export const browserLimitMs = 240_000;

/** Tests that need Chromium; where there is none they are skipped, by this name. */
export const describeInChromium = (name: string, tests: () => void): void =>
  program === undefined
    ? describe.skip(`${name} (Chromium is not installed)`, tests)
    : describe(name, tests);

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: program ?? '', args: options, timeout: patienceMs });
}

/** A page, and what it did that it should not. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, words on the browser's console, requests to other hosts. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** Opens a page of its own session at an address of the server's console. */
export function openConsole(
  browser: Browser,
  server: Pick<TestServer, 'url'>,
  path: string,
  context: BrowserContextOptions = {},
): Promise<WatchedPage> {
  return openPage(browser, server, `/console${path}`, context);
}

/** Opens a page of its own session at any address of the server. */
export async function openPage(
  browser: Browser,
  server: Pick<TestServer, 'url'>,
  address: string,
  context: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const opened = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...context,
  });
  opened.setDefaultTimeout(patienceMs);
  const page = await opened.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (!message.text().includes(networkChanged))
      faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${server.url}/`) && !url.startsWith('data:')) faults.push(url);
  });
  await load(page, `${server.url}${address}`);
  return { page, faults, close: () => opened.close() };
}

/**
 * Loads a page, again if the machine's networks changed meanwhile: the browser then breaks off what
 * it is loading, and a page without one of its scripts stays empty.
 */
async function load(page: Page, url: string): Promise<void> {
  for (;;) {
    let isBrokenOff = false;
    const note = (request: Request) => {
      if (request.failure()?.errorText === networkChanged) isBrokenOff = true;
    };
    page.on('requestfailed', note);
    try {
      await page.goto(url);
    } catch (error) {
      if (!isBrokenOff) throw error;
    }
    page.off('requestfailed', note);
    if (!isBrokenOff) return;
  }
}

/** Signs in with a token, as a person does. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}
