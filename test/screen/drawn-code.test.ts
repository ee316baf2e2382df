import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeQR } from 'qr/decode.js';
import { type DrawnCode, drawCode } from '../../src/screen/drawn-code.ts';
import { longestCode } from './views.ts';
import { served, Watcher } from './watcher.ts';

/** The picture that a browser makes of the path: `dots` a module, black on white. */
function picture({ size, path }: DrawnCode, dots = 4): { width: number; height: number; data: Uint8Array } {
  const width = size * dots;
  const data = new Uint8Array(width * width * 4).fill(255);
  const drawn = path.replace(/M(\d+) (\d+)h(\d+)v1H(\d+)z/g, (_, x, y, run, back) => {
    assert.equal(back, x);
    for (let row = Number(y) * dots; row < (Number(y) + 1) * dots; row++) {
      const start = (row * width + Number(x) * dots) * 4;
      for (let at = start; at < start + Number(run) * dots * 4; at += 4) data.fill(0, at, at + 3);
    }
    return '';
  });
  assert.equal(drawn, '', 'the path has nothing but runs of modules');
  return { width, height: width, data };
}

const emv = '00020101021226350012hk.com.hkicl0209HKDEMOFPS520400005303344540430.05802HK5902NA6002HK6304' + 'ABCD';

describe('a drawn code', () => {
  for (const [what, text] of Object.entries({
    'a wallet’s link': 'https://qr.alipay.com/bax00000000000000000000000000000',
    'an EMV merchant-presented code': emv,
    digits: '123456789012345678',
    'one character': 'x',
    Chinese: '港式奶茶',
    'the longest': longestCode,
  })) {
    test(`${what} is read back as it was`, () => {
      const drawn = drawCode(text) ?? assert.fail('not drawn');
      assert.equal(decodeQR(picture(drawn), { effort: 10, timeLimit: 10_000 }), text);
    });
  }

  test('has its quiet zone of four modules', () => {
    const { size, path } = drawCode('x') ?? assert.fail('not drawn');
    assert.equal(size, 21 + 8, 'version 1');
    const runs = Array.from(path.matchAll(/M(\d+) (\d+)h(\d+)/g), ([, x, y, run]) => [
      Number(x),
      Number(y),
      Number(run),
    ]);
    for (const [x = 0, y = 0, run = 0] of runs) assert.ok(x >= 4 && y >= 4 && x + run <= 25 && y < 25, `${x} ${y}`);
    assert.deepEqual(runs[0], [4, 4, 7], 'a finder pattern');
  });

  test('has error correction M: it can be read with a scratch over a tenth of it', () => {
    const image = picture(drawCode(longestCode) ?? assert.fail('not drawn'));
    const { width, data } = image;
    const [from, to] = [Math.floor(width * 0.38), Math.floor(width * 0.7)];
    for (let y = from; y < to; y++) {
      for (let at = y * width + from; at < y * width + to; at++) data.fill(0, at * 4, at * 4 + 3);
    }
    assert.equal(decodeQR(image, { effort: 10, timeLimit: 10_000 }), longestCode);
  });

  test('nothing is drawn of what is no payload', () => {
    assert.equal(drawCode(''), undefined);
    assert.equal(drawCode('x'.repeat(513)), undefined);
  });
});

test('the event stream tells the code as text and as it is to be drawn, and nothing of it after', async (t) => {
  const screen = await served(t);
  const watcher = await Watcher.open(screen.port);
  screen.show({ scene: 'presentCode', code: emv });
  screen.show({ scene: 'presentCode', code: 'x'.repeat(513) });
  screen.show({ scene: 'approved' });
  const [, shown, tooLong, over] = await watcher.views(4);
  assert.equal(shown?.code, emv);
  assert.deepEqual(shown?.modules, drawCode(emv));
  assert.equal(tooLong?.modules, undefined);
  assert.deepEqual(over, { scene: 'approved' });
});
