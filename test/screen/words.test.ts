import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { accounts } from '../../src/base/domain/account.ts';
import { collectModes } from '../../src/base/domain/payment-scheme.ts';
import { transactionTypes } from '../../src/base/domain/transaction-kind.ts';
import { screenHints, type ScreenView } from '../../src/payment/contracts/screen.ts';
import { pageModule, pageWords } from './page-module.ts';
import { views } from './views.ts';

type Group = Readonly<Record<string, string>>;
interface Words {
  readonly [name: string]: string | Group | Readonly<Record<string, Group>>;
}
interface Message {
  readonly title: string;
  readonly hint: string;
  readonly drawing: string;
  readonly tone: string;
}

const english = await pageWords<Words>('words-en');
const chinese = await pageWords<Words>('words-zh-hant');
const { message } = await pageModule<{ message: (view: ScreenView, words: Words) => Message }>('message');
const html = readFileSync(new URL('../../src/screen/page/index.html', import.meta.url), 'utf8');

const simplified = await pageWords<Words>('words-zh-hans');
const portuguese = await pageWords<Words>('words-pt');

const languages = { english, chinese, simplified, portuguese };

function texts(words: object): string[] {
  return Object.values(words).flatMap((said: unknown) => (typeof said === 'string' ? [said] : texts(said as object)));
}

for (const [name, words] of Object.entries(languages)) {
  describe(name, () => {
    // Of two languages they are the terminal's, which no type checker sees.
    test('has words for all kinds, and for nothing else', () => {
      const wanted = transactionTypes.filter((type) => type !== 'SALE');
      assert.deepEqual(Object.keys(words['kinds'] ?? {}).sort(), [...wanted].sort());
    });

    test('leaves nothing empty', () => {
      for (const text of texts(words)) assert.match(text, /^\S(?:.*\S)?$/);
    });

    test('says each hint of a collection and of an outcome, and no two the same', () => {
      const said = screenHints.map((hint) => message({ scene: 'presentCard', hint }, words).hint);
      assert.equal(new Set(said).size, screenHints.length);
      assert.ok(said.every((text) => text !== ''));
    });

    test('says what a card may be held to, for every set of interfaces', () => {
      const all = ['contactless', 'chip', 'magstripe'] as const;
      const titles = Array.from({ length: 8 }, (_, bits) => {
        const interfaces = all.filter((_, at) => bits & (1 << at)).toReversed();
        return message({ scene: 'presentCard', interfaces }, words).title;
      });
      assert.equal(new Set(titles).size, 8);
    });

    test('names the wallet whose code is on show', () => {
      const { title } = message({ scene: 'presentCode', wallets: ['FPS', 'WECHAT'], wallet: 'WECHAT' }, words);
      assert.ok(title.includes((words['wallets'] as Record<string, string>)['WECHAT'] ?? assert.fail()));
      assert.doesNotMatch(title, /[{}]/);
    });
  });
}

test('Chinese is Chinese, in traditional characters', () => {
  const latin = new Set(['zh-Hant-HK']);
  for (const text of texts(chinese)) assert.ok(latin.has(text) || /\p{Script=Han}/u.test(text), text);
  // Simplified forms of characters that these words use.
  assert.doesNotMatch(texts(chinese).join(''), /[请选择户码键盘输扫显维现处终动错误别张个发贴声简钱续额]/u);
});

test('no two languages share their words of the menu', () => {
  const menus = Object.values(languages).map((words) => texts(words['menu'] as Group));
  assert.equal(new Set(menus.map((menu) => menu.join('|'))).size, menus.length);
  // Traditional forms of characters that these words use.
  assert.doesNotMatch(
    texts(simplified).join(''),
    /[請選擇戶碼鍵盤輸掃顯維現處終動錯誤別張個發貼聲簡錢續額閉開關機銀賬證網無]/u,
  );
});

test('there is a drawing for every view, and for every button an icon', () => {
  for (const [name, view] of Object.entries({ ...views, offline: { scene: 'offline' } })) {
    const { drawing } = message(view as ScreenView, english);
    assert.ok(drawing === 'none' || html.includes(`data-drawing="${drawing}"`), `${name}: ${drawing}`);
  }
  for (const icon of [...collectModes, ...accounts, 'cancel', 'others', 'back', 'erase']) {
    assert.ok(html.includes(`id="icon-${icon}"`), icon);
  }
});

test('the customer whose Octopus was lost is told loudly not to leave', () => {
  const said = message({ scene: 'tapOctopus', hint: 'sameOctopusCard' }, english);
  assert.deepEqual(said, {
    title: 'Do not leave',
    hint: 'Tap the SAME Octopus again',
    drawing: 'alert',
    tone: 'alert',
  });
});
