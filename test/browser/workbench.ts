import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';
import { daemonModule } from '../support/programs.ts';
import { keepPicture } from './pictures.ts';

export const workbenchWindows = {
  usual: { width: 1280, height: 800 },
  narrow: { width: 480, height: 800 },
} as const;

/** `poid run --sim` as `npm start` runs it, and its page in a browser: nothing else is touched. */
export class Workbench {
  readonly page: Page;
  readonly url: string;
  readonly apiUrl: string;
  readonly complaints: string[] = [];

  private constructor(page: Page, url: string, apiUrl: string) {
    this.page = page;
    this.url = url;
    this.apiUrl = apiUrl;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  static async open(
    t: TestContext,
    browser: Browser,
    window: keyof typeof workbenchWindows = 'usual',
  ): Promise<Workbench> {
    const { url, apiPort } = await running(t);
    const context = await browser.newContext({ viewport: workbenchWindows[window], reducedMotion: 'reduce' });
    t.after(() => context.close());
    const opened = new Workbench(await context.newPage(), url, `http://127.0.0.1:${apiPort}`);
    await opened.page.goto(url);
    await opened.page.getByText('live', { exact: true }).waitFor();
    return opened;
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The terminal's own page, within this one. */
  get screen(): FrameLocator {
    return this.page.frameLocator('#screen-frame');
  }

  /** The newest call of the till. */
  get newest(): Locator {
    return this.page.locator('.call').first();
  }

  /** The row of the wires whose sentence has these words, once it is there. */
  frame(words: string): Locator {
    return this.page.locator('#wire-list button.frame', { hasText: words });
  }

  /** The fields on show: name, value and meaning. */
  async fields(): Promise<string[]> {
    const rows = await this.page.locator('#wire-fields tr').all();
    return Promise.all(
      rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).join(' ').replaceAll(/\s+/g, ' ').trim()),
    );
  }

  keepPicture(name: string): Promise<void> {
    return keepPicture(this.page, `workbench-${name}`);
  }

  /** Buttons of the terminal's screen of which a part can't be pressed, because something else lies over it or it is cut off. */
  async coveredOnScreen(): Promise<string[]> {
    const frame = await (await this.page.locator('#screen-frame').elementHandle())?.contentFrame();
    assert.ok(frame);
    return frame.evaluate<string[]>(`Array.from(document.querySelectorAll('button'))
      .filter((each) => each.checkVisibility())
      .filter((each) => {
        const { left, top, right, bottom } = each.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        return [[left + 4, y], [right - 4, y], [x, top + 3], [x, bottom - 3]].some(
          ([atX, atY]) => !each.contains(document.elementFromPoint(atX, atY)),
        );
      })
      .map((each) => each.textContent.trim())`);
  }

  /** What is wider than its place. */
  async tooWide(): Promise<string[]> {
    return (await this.page.evaluate(`[
      ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
      ...Array.from(document.querySelectorAll('section, button, h2, h3, summary, .pill, #wire-list, #wire-fields'))
        .filter((each) => each.offsetParent !== null && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
        .map((each) => each.textContent.trim().slice(0, 40)),
    ]`)) as string[];
  }

  allWell(): void {
    assert.deepEqual(this.complaints, []);
  }
}

/** Ends with the test. */
async function running(t: TestContext): Promise<{ readonly url: string; readonly apiPort: number }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-workbench-'));
  const places = ['--sim-dir', path.join(dir, 'sim'), '--state-dir', path.join(dir, 'state')];
  const ports = ['--sim-port', '0', '--port', '0', '--screen-port', '0'];
  const child = fork(daemonModule, ['run', '--sim', ...places, ...ports], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  t.after(async () => {
    await ended(child);
    await rm(dir, { recursive: true });
  });
  let log = '';
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const failed = once(child, 'exit').then(() => assert.fail(`it ended at its start: ${log}`));
  failed.catch(() => undefined);
  const ready = once(child, 'message') as Promise<[{ apiPort: number }]>;
  const address = () => /simulator +(http:\S+)/.exec(said)?.[1];
  while (address() === undefined) {
    assert.ok(child.stdout);
    said += String(((await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer])[0]);
  }
  const [{ apiPort }] = await Promise.race([ready, failed]);
  child.stdout?.resume();
  return { url: address() ?? '', apiPort };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
