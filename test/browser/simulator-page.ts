import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { type HttpAnswer, type Json, Stage } from '../e2e/stage.ts';
import { keepPicture } from './pictures.ts';

export const windows = {
  small: { width: 1280, height: 800 },
  usual: { width: 1440, height: 900 },
  narrow: { width: 900, height: 900 },
};
export type Window = keyof typeof windows;

/** The simulator's page in a browser, and behind it the whole product: simulator and daemon as two processes. */
export class SimulatorPage {
  readonly stage: Stage;
  readonly page: Page;
  /** What the browser complained of: a broken script, what the content security policy blocked, a refused call. */
  readonly complaints: string[] = [];

  private constructor(stage: Stage, page: Page) {
    this.stage = stage;
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  /** Both are closed when the test ends. Nothing unexpected may have come over any wire by then. */
  static async open(t: TestContext, browser: Browser, window: Window = 'small'): Promise<SimulatorPage> {
    const stage = await Stage.open();
    t.after(() => stage.close());
    const context = await browser.newContext({ viewport: windows[window], reducedMotion: 'reduce' });
    t.after(() => context.close());
    const opened = new SimulatorPage(stage, await context.newPage());
    await opened.page.goto(`${stage.simUrl}/#bench`);
    await opened.page.getByText('live', { exact: true }).waitFor();
    return opened;
  }

  /** Asks the terminal for 30 HKD; resolves once `awaited` says that it waits for the customer, with the answer to come. */
  async payment(fields: Json, awaited: string): Promise<{ readonly answer: Promise<HttpAnswer> }> {
    const answer = this.stage.payment(this.stage.saleRequest(fields));
    answer.catch(() => undefined);
    await this.terminalSays(awaited);
    return { answer };
  }

  async terminalSays(text: string): Promise<void> {
    await this.page.locator('#terminal-state', { hasText: text }).waitFor();
  }

  /** What the merchant or customer presses on the terminal's own screen, once it shows `scene`. */
  async onScreen(scene: string, action: Json): Promise<void> {
    const view = await this.screenView(scene);
    const response = await fetch(`${this.stage.screenUrl}/action`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.stage.screenUrl },
      body: JSON.stringify({ transaction: view.transaction, ...action }),
    });
    assert.ok(response.ok, `the screen refused: ${response.status}`);
  }

  async screenView(scene: string): Promise<Json> {
    const response = await fetch(`${this.stage.screenUrl}/events`);
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const views = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']): Json => JSON.parse(data));
      const view = views.find((each) => each.scene === scene);
      if (view) return view;
    }
    return assert.fail('the event stream ended');
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Opens what a device can suffer from, and presses one of it. */
  async fault(device: string, name: string): Promise<void> {
    const box = this.page.locator('details', { has: this.page.locator('summary', { hasText: `${device} faults` }) });
    if ((await box.getAttribute('open')) === null) await box.locator('summary').click();
    await box.getByRole('button', { name }).click();
  }

  async choose(host: string): Promise<Locator> {
    await this.page.getByRole('tab', { name: host }).click();
    return this.page.locator(`#host-${host.toUpperCase()}`);
  }

  keepPicture(name: string): Promise<void> {
    return keepPicture(this.page, `simulator-${name}`);
  }

  /** What is wider than its place: the page as a whole, and words in a button, a title or a cell. */
  async tooWide(): Promise<string[]> {
    return (await this.page.evaluate(`[
      ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
      ...Array.from(document.querySelectorAll('section, button, h2, h3, summary, td, th, .pill, .last-four, .balance'))
        .filter((each) => each.offsetParent !== null && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
        .map((each) => each.textContent.trim().slice(0, 40)),
    ]`)) as string[];
  }

  /** Nothing broke: in the browser, and on the wires. */
  async allWell(): Promise<void> {
    assert.deepEqual(this.complaints, []);
    assert.deepEqual(await this.stage.unexpected(), []);
  }
}
