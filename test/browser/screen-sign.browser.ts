import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { isSignature, type Signature, signatureGrid } from '../../src/base/domain/signature.ts';
import { drawnSignature, transaction, views } from '../screen/views.ts';
import { axeViolations } from './axe.ts';
import { launchChromium } from './chromium.ts';
import { type PageOptions, ScreenPage } from './screen-page.ts';

let browser: Browser;

describe('a customer signs on the screen', () => {
  before(async () => {
    browser = await launchChromium();
  });

  after(() => browser?.close());

  async function opened(t: TestContext, options: PageOptions = {}) {
    const stage = await ScreenPage.open(t, browser, options);
    const { page } = stage;
    await stage.show(views['sign'] ?? assert.fail());
    const box = (await page.locator('#field').boundingBox()) ?? assert.fail();
    /** Draws with the mouse through these points of the grid. */
    const draw = async (points: readonly (readonly [number, number])[]) => {
      const at = ([x, y]: readonly [number, number]) =>
        [
          box.x + 3 + ((x + 0.5) * (box.width - 6)) / signatureGrid.width,
          box.y + 3 + ((y + 0.5) * (box.height - 6)) / signatureGrid.height,
        ] as const;
      const [first = [0, 0] as const, ...rest] = points;
      await page.mouse.move(...at(first));
      await page.mouse.down();
      for (const each of rest) await page.mouse.move(...at(each));
      await page.mouse.up();
    };
    const isOff = async (action: string) => (await page.getAttribute(`[data-action="${action}"]`, 'disabled')) !== null;
    const line = async () => (await page.getAttribute('#field .drawn', 'd')) ?? '';
    /** What the page sends once Done is pressed. */
    const sent = async (): Promise<Signature> => {
      await stage.tap('[data-action="done"]');
      const [action = assert.fail()] = await stage.heard(1);
      assert.ok(action.kind === 'sign');
      assert.equal(action.transaction, transaction);
      assert.ok(isSignature(action.strokes));
      return action.strokes;
    };
    return { stage, page, draw, isOff, line, sent };
  }

  for (const size of ['handheld', 'counter'] as const) {
    test(`${size}: the terminal gets the strokes, in dots of the grid`, async (t) => {
      const { draw, isOff, sent } = await opened(t, { size });
      const strokes = [
        [
          [20, 30],
          [60, 90],
          [200, 40],
        ],
        [
          [300, 10],
          [350, 120],
        ],
      ] as const;
      assert.equal(await isOff('done'), true, 'nothing is drawn');
      for (const stroke of strokes) await draw(stroke);
      const heard = await sent();
      assert.equal(heard.length, strokes.length);
      for (const [at, stroke] of strokes.entries()) {
        const wanted = stroke.flat();
        assert.equal(heard[at]?.length, wanted.length);
        for (const [place, value] of wanted.entries()) {
          assert.ok(
            Math.abs((heard[at]?.[place] ?? Number.NaN) - value) <= 1,
            `${heard[at]?.join()} for ${wanted.join()}`,
          );
        }
      }
    });
  }

  test('a finger draws as the mouse does, and a second finger nothing', async (t) => {
    const { page, stage, sent, line } = await opened(t);
    const box = (await page.locator('#field').boundingBox()) ?? assert.fail();
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: [number, number][]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([x, y], id) => ({ x: box.x + x, y: box.y + y, id })),
      });
    await touch('touchStart', [50, 50]);
    await touch('touchMove', [90, 70]);
    await touch('touchStart', [90, 70], [200, 20]);
    await touch('touchMove', [130, 40], [210, 90]);
    await touch('touchEnd');
    assert.match(await line(), /^M\d+ \d+L\d+ \d+ \d+ \d+$/);
    const heard = await sent();
    assert.deepEqual([heard.length, heard[0]?.length], [1, 6]);
    assert.deepEqual(stage.complaints, []);
  });

  test('Clear takes all of it away', async (t) => {
    const { stage, draw, isOff, line, sent } = await opened(t);
    assert.equal(await isOff('clear'), true);
    await draw([
      [20, 20],
      [300, 100],
    ]);
    assert.deepEqual([await isOff('clear'), await isOff('done')], [false, false]);
    await stage.tap('[data-action="clear"]');
    assert.equal(await line(), '');
    assert.deepEqual([await isOff('clear'), await isOff('done')], [true, true]);
    await draw([
      [100, 20],
      [120, 100],
    ]);
    assert.equal((await sent()).length, 1);
  });

  test('a dot alone is no signature; outside the field nothing is drawn, and inside again another stroke begins', async (t) => {
    const { draw, isOff, sent } = await opened(t);
    await draw([[200, 60]]);
    assert.equal(await isOff('done'), true);
    await draw([
      [20, 60],
      [60, 60],
      [60, -40],
      [100, -40],
      [100, 60],
      [140, 60],
    ]);
    assert.deepEqual(
      (await sent()).map((stroke) => stroke.length),
      [2, 4, 4],
    );
  });

  test('stays when the customer changes the language; is gone with the payment', async (t) => {
    const { stage, draw, line, isOff } = await opened(t);
    await draw([
      [20, 20],
      [300, 100],
    ]);
    const drawn = await line();
    await stage.page.click('#language');
    assert.equal(await line(), drawn);
    assert.equal(await isOff('done'), false);
    await draw([
      [30, 100],
      [200, 100],
    ]);
    assert.notEqual(await line(), drawn, 'and goes on');
    await stage.show(views['sign'] ?? assert.fail());
    assert.equal(await line(), '');
  });

  test('by the keyboard: on paper, which has a name for a screen reader as the field has', async (t) => {
    const { stage, page } = await opened(t);
    const field = page.getByRole('img', { name: /^Field to sign in.*choose “Sign on paper”\.$/ });
    assert.equal(await field.count(), 1);
    await page.waitForSelector('body:not([data-hold])');
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement?.dataset.action')) === 'paper') break;
    }
    await page.keyboard.press('Enter');
    assert.deepEqual(await stage.heard(1), [{ transaction, kind: 'signOnPaper' }]);
  });

  test('the merchant sees what was drawn, and accepts it, has it drawn again, or takes paper', async (t) => {
    const { stage, page, line } = await opened(t);
    for (const [action, kind] of [
      ['accept', 'acceptSignature'],
      ['again', 'signAgain'],
      ['paper', 'signOnPaper'],
    ] as const) {
      const before = stage.actions.length;
      await stage.show(views['sign-check'] ?? assert.fail());
      assert.equal((await line()).match(/M/g)?.length, drawnSignature.length);
      assert.equal(await page.getByRole('img', { name: 'The signature that was drawn' }).count(), 1);
      await stage.tap(`[data-action="${action}"]`);
      assert.deepEqual((await stage.heard(before + 1)).at(-1), { transaction, kind });
    }
  });

  test('axe finds nothing while it is being drawn', async (t) => {
    const { page, draw } = await opened(t);
    await draw([
      [20, 20],
      [300, 100],
    ]);
    assert.deepEqual(await axeViolations(page), []);
  });
});
