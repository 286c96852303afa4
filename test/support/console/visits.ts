/** The browser that the tests of one `describe` share. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TestServer } from '../server.js';
import {
  browserLimitMs,
  launchBrowser,
  openConsole,
  openPage,
  signIn,
  type WatchedPage,
} from './chromium.js';

/** Opens pages, each in a session of its own, for the test that runs. */
export class Visits {
  /** Null outside the tests. */
  #browser: Browser | null = null;
  #opened: WatchedPage[] = [];

  /** What the last page did that it should not; a test takes out what it expects. */
  get faults(): string[] {
    return this.#opened.at(-1)?.faults ?? [];
  }

  /** A page of the console, before any sign-in. */
  async open(
    server: Pick<TestServer, 'url'>,
    path: string,
    context?: BrowserContextOptions,
  ): Promise<Page> {
    return this.#keep(await openConsole(this.#running, server, path, context));
  }

  /** A page of the console that a person with this token sees. */
  async signedIn(
    server: TestServer,
    path: string,
    token = server.token,
    context?: BrowserContextOptions,
  ): Promise<Page> {
    const page = await this.open(server, path, context);
    await signIn(page, token);
    return page;
  }

  /** A page at any address of the server. */
  async at(server: TestServer, address: string, context?: BrowserContextOptions): Promise<Page> {
    return this.#keep(await openPage(this.#running, server, address, context));
  }

  async launch(): Promise<void> {
    this.#browser = await launchBrowser();
  }

  /** Closes the pages of a test. Gives what they did that they should not. */
  async leave(): Promise<readonly string[]> {
    const left = this.#opened;
    this.#opened = [];
    for (const page of left) await page.close();
    return left.flatMap(({ faults }) => faults);
  }

  async end(): Promise<void> {
    await this.#browser?.close();
  }

  get #running(): Browser {
    if (this.#browser === null) throw new Error('a page can be opened in a test only');
    return this.#browser;
  }

  #keep(opened: WatchedPage): Page {
    this.#opened.push(opened);
    return opened.page;
  }
}

/** A browser for the tests of this `describe`, after each of which no page may have a fault. */
export function visitsInChromium(): Visits {
  const visits = new Visits();
  beforeAll(() => visits.launch(), browserLimitMs);
  afterEach(async () => expect(await visits.leave()).toEqual([]), browserLimitMs);
  afterAll(() => visits.end(), browserLimitMs);
  return visits;
}
