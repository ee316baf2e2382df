import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { plainStyle, type ScreenStyle } from '../../src/base/domain/screen-style.ts';
import type { ScreenAction, ScreenView } from '../../src/payment/contracts/screen.ts';
import type { PageLogo } from '../../src/screen/page-file.ts';
import { type ScreenServer, serveScreen } from '../../src/screen/server.ts';
import { settle } from './settling.ts';

export const sizes = { handheld: { width: 480, height: 800 }, counter: { width: 1280, height: 800 } };
export type Size = keyof typeof sizes;
export const languages = ['en', 'zh-Hant-HK', 'zh-Hans-CN', 'pt-PT'] as const;

export interface PageOptions {
  readonly size?: Size;
  readonly language?: string;
  /** PNGs by the codes of wallets. */
  readonly logos?: ReadonlyMap<string, Uint8Array>;
  readonly style?: Partial<ScreenStyle>;
  readonly shopLogo?: PageLogo;
  /** Run in the page before its own scripts. */
  readonly before?: string;
}

/** The payment app's page on a server of its own, with nothing behind it: the test shows the views and hears the actions. */
export class ScreenPage {
  readonly screen: ScreenServer;
  readonly page: Page;
  readonly actions: ScreenAction[] = [];
  /** What the browser complained of: a broken script, or what the content security policy blocked. */
  readonly complaints: string[] = [];

  private constructor(screen: ScreenServer, page: Page) {
    this.screen = screen;
    this.page = page;
    screen.onAction((action) => this.actions.push(action));
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  /** Both are closed when the test ends. */
  static async open(t: TestContext, browser: Browser, options: PageOptions = {}): Promise<ScreenPage> {
    const { size = 'handheld', language = 'en' } = options;
    const style = { ...plainStyle, ...options.style };
    const screen = await serveScreen(0, options.logos, [], style, options.shopLogo);
    t.after(() => screen.close());
    const context = await browser.newContext({ viewport: sizes[size], hasTouch: true, reducedMotion: 'reduce' });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.clock.install();
    if (options.before !== undefined) await page.addInitScript(options.before);
    const opened = new ScreenPage(screen, page);
    await page.goto(`http://127.0.0.1:${screen.port}/`);
    await opened.shows('idle');
    for (const _each of languages) {
      if ((await page.getAttribute('html', 'lang')) !== language) await page.click('#language');
    }
    assert.equal(await page.getAttribute('html', 'lang'), language);
    return opened;
  }

  /** Shows a view, and resolves once the page does. */
  async show(view: ScreenView): Promise<void> {
    this.screen.show({ scene: 'idle' });
    await this.shows('idle');
    this.screen.show(view);
    await this.shows(view.scene);
  }

  /** Resolves once the page shows that scene. */
  shows(scene: string): Promise<void> {
    return this.#until(`document.body.dataset.scene === ${JSON.stringify(scene)}`);
  }

  /** As soon as the buttons of a new view can be pressed. */
  async tap(selector: string): Promise<void> {
    const isThere = `document.querySelector(${JSON.stringify(selector)})`;
    await this.#until(`document.body.dataset.hold !== 'sent' && ${isThere}`);
    await settle(this.page);
    await this.#until(`!document.body.dataset.hold && ${isThere}`);
    await this.page.tap(selector);
  }

  /** Looks at every change: the library's own waiting looks twice a second. The test's deadline ends it. */
  async #until(condition: string): Promise<void> {
    await this.page.evaluate(`new Promise((resolve) => {
      const changes = new MutationObserver(look);
      changes.observe(document, { attributes: true, childList: true, subtree: true });
      function look() {
        if (!(${condition})) return;
        changes.disconnect();
        resolve();
      }
      look();
    })`);
  }

  /** What of the page is cut off, too small, lies over something else, or is hard to read. */
  async faults(): Promise<string[]> {
    const script = await readFile(new URL('fit.js', import.meta.url), 'utf8');
    return (await this.page.evaluate(script)) as string[];
  }

  /** Waits until the page has sent so many actions. The test's deadline ends it. */
  async heard(count: number): Promise<readonly ScreenAction[]> {
    while (this.actions.length < count) {
      await new Promise<void>((resolve) => {
        const stop = this.screen.onAction(() => {
          stop();
          resolve();
        });
      });
    }
    return this.actions;
  }
}
