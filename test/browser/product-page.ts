import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { Scene, ScreenHint } from '../../src/payment/contracts/screen.ts';
import type { ReportedOutcome } from '../../src/payment/contracts/reported-outcome.ts';
import type { Begun, Json, Stage } from '../e2e/stage.ts';
import { pageWords } from '../screen/page-module.ts';
import { keepPicture } from './pictures.ts';
import type { Product } from './product-stage.ts';
import { type languages, type Size, sizes } from './screen-page.ts';
import { settle } from './settling.ts';

interface Words {
  readonly titles: Readonly<Record<string, string>>;
  readonly card: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, string>>;
  readonly wallets: Readonly<Record<string, string>>;
  readonly sums: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, string>>;
  readonly doNotLeave: string;
  readonly scanWith: string;
  readonly outcome: {
    readonly happened: Readonly<Record<string, string>>;
    readonly money: Readonly<Record<string, string>>;
    readonly next: Readonly<Record<string, string>>;
  };
  readonly orAnotherWay: string;
}

const words: Readonly<Record<(typeof languages)[number], Words>> = {
  en: await pageWords('words-en'),
  'zh-Hant-HK': await pageWords('words-zh-hant'),
  'zh-Hans-CN': await pageWords('words-zh-hans'),
  'pt-PT': await pageWords('words-pt'),
};

const patienceMs = 15_000;

const fit = await readFile(new URL('fit.js', import.meta.url), 'utf8');

/** Run in the page before its own scripts: keeps everything that was ever drawn. */
const watching = `
  window.drawn = [];
  new MutationObserver(() => {
    if (!document.body) return;
    const text = (id) => document.getElementById(id)?.textContent ?? '';
    window.drawn.push({
      scene: document.body.dataset.scene,
      title: text('title'),
      hint: text('hint'),
      html: document.documentElement.outerHTML,
    });
  }).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
`;

/** Something that the page has drawn. */
export interface Drawn {
  readonly scene: string;
  readonly title: string;
  readonly hint: string;
  readonly html: string;
}

export interface Counter {
  readonly size: Size;
  readonly language: (typeof languages)[number];
}

export const handheld: Counter = { size: 'handheld', language: 'en' };

/** The two displays, and one of them in the other language. */
export const counters: readonly Counter[] = [
  handheld,
  { size: 'counter', language: 'en' },
  { size: 'handheld', language: 'zh-Hant-HK' },
];

/** As an operator has them: both displays in both languages of the receipts. */
export const menuCounters: readonly Counter[] = [...counters, { size: 'counter', language: 'zh-Hant-HK' }];

/** The terminal's page as merchant and customer have it before them: what they see is waited for, what they press is pressed. */
export class ProductPage {
  readonly page: Page;
  readonly stage: Stage;
  readonly words: Words;
  readonly #counter: Counter;
  readonly #complaints: string[] = [];
  #flow = '';
  #pictures = 0;
  #begun: Begun | undefined;

  private constructor(page: Page, stage: Stage, counter: Counter) {
    this.page = page;
    this.stage = stage;
    this.words = words[counter.language];
    this.#counter = counter;
    page.setDefaultTimeout(patienceMs);
    page.on('pageerror', (error) => this.#complaints.push(String(error)));
    page.on('console', (message) => {
      // A terminal that is away is in the console too; what the page makes of that is what the tests look at.
      if (message.type() === 'error' && !message.text().includes('net::ERR')) this.#complaints.push(message.text());
    });
  }

  static async open({ browser, stage }: Product, counter: Counter = handheld): Promise<ProductPage> {
    const context = await browser.newContext({
      viewport: sizes[counter.size],
      hasTouch: true,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const product = new ProductPage(page, stage, counter);
    await page.clock.install();
    await page.addInitScript(watching);
    await page.goto(stage.screenUrl);
    await page.waitForSelector('body:not([data-scene="offline"], [data-scene="loading"])');
    for (let tries = 0; tries < 4 && (await page.getAttribute('html', 'lang')) !== counter.language; tries++) {
      await page.tap('#language');
    }
    assert.equal(await page.getAttribute('html', 'lang'), counter.language);
    return product;
  }

  /**
   * What is drawn from now on belongs to this test. When it ends, nothing may have gone wrong in the page, and no number been
   * shown that is nobody's business.
   */
  async flow(t: TestContext, name: string): Promise<void> {
    this.#flow = name;
    this.#pictures = 0;
    this.#begun = undefined;
    await this.page.evaluate('void (window.drawn = [])');
    t.after(async () => {
      // What failed half-way must not stand in the way of the next test.
      if (this.#begun) await this.stage.cancel(this.#begun.request).catch(() => undefined);
      assert.deepEqual(this.#complaints.splice(0), []);
      for (const { scene, html } of await this.drawn()) {
        // A transaction's own number may have as many digits in a row by chance, and a build's version has; no card's is as long.
        const rest = html.replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b|~git\d+\.g[\da-f]+/g, '');
        assert.doesNotMatch(rest, /\d{8}/, `${scene}: digits of a card or code`);
      }
    });
  }

  close(): Promise<void> {
    return this.page.context().close();
  }

  /** Waits for the scene with its hint, and looks whether it can be read. Without a hint it must have none. */
  async sees(scene: Scene | 'offline', hint?: ScreenHint): Promise<void> {
    const silent = scene === 'chooseMethod' ? this.words.orAnotherWay : '';
    const { hints } = this.words;
    const said = hint === undefined ? silent : (hints[hint] ?? assert.fail(hint));
    await this.#until(`document.body.dataset.scene === ${JSON.stringify(scene)}
      && document.getElementById('hint').textContent === ${JSON.stringify(said)}`);
    await this.picture(hint === undefined ? scene : `${scene}-${hint}`);
  }

  /** Waits for an outcome that says these three lines, and looks whether they can be read. `ways`: those that work, as they are listed. */
  async shows(scene: Scene, { happened, money, next }: ReportedOutcome, ways = ''): Promise<void> {
    const { outcome } = this.words;
    const lines = {
      happened: outcome.happened[happened ?? ''] ?? '',
      money: outcome.money[money] ?? assert.fail(money),
      next: (outcome.next[next] ?? assert.fail(next)).replace('{ways}', ways),
    };
    const said = Object.entries(lines).map(
      ([id, text]) => `document.getElementById('${id}').textContent === ${JSON.stringify(text)}`,
    );
    await this.#until([`document.body.dataset.scene === ${JSON.stringify(scene)}`, ...said].join(' && '));
    await this.picture(`${scene}-${happened ?? money}`);
  }

  /** Waits until what the last payment came to is no more there. */
  async leavesOutcome(): Promise<void> {
    await this.#until(
      `window.drawn.some(({ scene }) => !['approved', 'declined', 'error', 'cancelled'].includes(scene))`,
    );
  }

  /** Keeps what is on the display for those who want to look at it, and asserts that it can be read. */
  async picture(name: string): Promise<void> {
    const { size, language } = this.#counter;
    this.#pictures += 1;
    const file = `product-${this.#flow}-${size}-${language}-${String(this.#pictures).padStart(2, '0')}-${name}`;
    await keepPicture(this.page, file);
    assert.deepEqual(await this.page.evaluate(fit), [], file);
  }

  /** A button, by its own name and what else tells it from the others: press('choose', { mode: 'CASH' }). */
  async press(action: string, data: Readonly<Record<string, string>> = {}): Promise<void> {
    const rest = Object.entries(data).map(([name, value]) => `[data-${name}="${value}"]`);
    await this.tap(`[data-action="${action}"]${rest.join('')}`);
  }

  /** As soon as the buttons of a new view can be pressed. */
  async tap(selector: string): Promise<void> {
    const isThere = `document.querySelector(${JSON.stringify(selector)})`;
    await this.#until(`document.body.dataset.hold !== 'sent' && ${isThere}`);
    await settle(this.page);
    await this.#until(`!document.body.dataset.hold && ${isThere}`);
    await this.page.tap(selector);
  }

  /** Looks at every frame: the library's own waiting looks twice a second. */
  async #until(condition: string): Promise<void> {
    const met = await this.page.evaluate(`new Promise((resolve) => {
      const late = performance.now() + ${patienceMs};
      const look = () => {
        if (${condition}) resolve(true);
        else if (performance.now() > late) resolve(false);
        else requestAnimationFrame(look);
      };
      look();
    })`);
    if (met) return;
    const { scene, title, hint } = (await this.drawn()).at(-1) ?? {};
    assert.fail(`${condition}: it did not come to that, but stays at ${scene}: ${title}. ${hint}`);
  }

  /** Keys of the keypad, one by one. */
  async type(...keys: string[]): Promise<void> {
    for (const key of keys) await this.tap(`[data-key="${key}"]`);
  }

  /** From a collecting scene to another way to pay, as the merchant does it. */
  async changeTo(mode: string): Promise<void> {
    await this.press('others');
    await this.press('choose', { mode });
  }

  async text(id: string): Promise<string> {
    return (await this.page.textContent(`#${id}`)) ?? '';
  }

  /** What is written and what can be pressed, the language button aside. */
  async said(): Promise<unknown> {
    return this.page.evaluate(`({
      texts: ['currency', 'amount', 'kind', 'title', 'hint', 'sums'].map((id) => document.getElementById(id).textContent),
      buttons: [...document.querySelectorAll('main button')].map(({ dataset, textContent }) => [{ ...dataset }, textContent]),
      code: document.querySelector('#code path')?.getAttribute('d') ?? '',
    })`);
  }

  /** Everything that was drawn since the page was loaded. */
  async drawn(): Promise<readonly Drawn[]> {
    return (await this.page.evaluate('window.drawn')) as Drawn[];
  }

  /** The POS asks; the page must show what for. */
  async asked(fields: Json, scene: Scene, hint?: ScreenHint): Promise<Begun> {
    const begun = this.stage.begun(fields);
    this.#begun = begun;
    await this.sees(scene, hint);
    assert.equal(await this.text('currency'), begun.request.currency);
    assert.equal(await this.text('amount'), begun.request.requestAmount.toFixed(2));
    return begun;
  }
}

/** What the POS heard. */
export async function assertAnswer(
  { answer }: Pick<Begun, 'answer'>,
  result: string,
  fields: Json = {},
): Promise<Json> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.responseResult, result, body.message);
  const given = { ...body, ...body.transactionResult };
  const wanted = Object.keys(fields);
  assert.deepEqual(Object.fromEntries(wanted.map((name) => [name, given[name]])), fields);
  return body;
}
