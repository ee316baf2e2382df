import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { loadConfiguration } from '../../src/config/load.ts';
import { builtInWallets, knownWallets, walletProfiles } from '../../src/methods/wallet/settings/profiles.ts';
import { walletSchemes } from '../../src/base/domain/payment-scheme.ts';
import { wordsOf } from '../../src/receipt/language.ts';
import { pageWords } from '../screen/page-module.ts';

type Json = Record<string, unknown>;

interface PageWords {
  readonly wallets: Readonly<Record<string, string>>;
}
const pageEn = await pageWords<PageWords>('words-en');
const pageZh = await pageWords<PageWords>('words-zh-hant');

const dir = mkdtempSync(path.join(tmpdir(), 'poid-wallets-'));
after(() => rmSync(dir, { recursive: true }));
let files = 0;

const host = {
  id: 'QR',
  protocol: 'qfpay',
  url: 'https://wallets.example',
  appCode: 'code',
  clientKey: 'key',
  tid: '1',
};

function file(fields: Json): string {
  const name = path.join(dir, `${(files += 1)}.json`);
  writeFileSync(name, JSON.stringify(fields));
  return name;
}

async function loaded(wallets: Json, acquirer: Json = {}, more: Json = {}) {
  const shop = { shop: { name: 'Shop' }, reader: { driver: 'neo2', path: '/dev/reader' } };
  const name = file({ ...shop, acquirers: [{ ...host, ...acquirer }], wallets });
  return loadConfiguration([name, file(more)]);
}

/** The place and the words of the refusal. */
async function refusal(wallets: Json, acquirer: Json = {}): Promise<string> {
  const error = await loaded(wallets, acquirer).then(
    () => assert.fail('taken'),
    (refused: Error) => refused,
  );
  return error.message.replace(/^.* is wrong at /, '');
}

const testPay = {
  name: { en: 'TestPay', 'zh-Hant': '測試付' },
  presented: { payType: '809901' },
  scanned: { payType: '809908', codes: [{ prefixes: ['88'], length: [20, 20] }] },
};

describe('what is built in', () => {
  const taken = walletProfiles().filter(({ scanned, presented }) => scanned ?? presented);

  test('a terminal without a word about wallets takes the four of the interface, and no other', () => {
    assert.deepEqual(
      taken.map(({ scheme }) => scheme),
      walletSchemes,
    );
  });

  test('each has both names, and says where its facts are published', () => {
    for (const [code, { name, source }] of Object.entries(builtInWallets)) {
      assert.ok(name?.en && name['zh-Hant'], code);
      assert.match(source ?? '', /QFPay/, code);
    }
  });

  test('the names of the four are those of receipt and page', () => {
    for (const scheme of walletSchemes) {
      const { en, 'zh-Hant': chinese } = builtInWallets[scheme]?.name ?? {};
      assert.deepEqual([en, chinese], [wordsOf('en').methods[scheme], wordsOf('zh-Hant').methods[scheme]]);
      assert.deepEqual([en, chinese], [pageEn.wallets[scheme], pageZh.wallets[scheme]]);
    }
  });

  test('a way that no public source describes completely is not taken until the merchant completes it', async () => {
    const ways = ({ wallets }: Awaited<ReturnType<typeof loaded>>) => {
      const payMe = walletProfiles(wallets).find(({ scheme }) => scheme === 'PAYME');
      return [payMe?.presented?.payType, payMe?.scanned?.payType];
    };
    assert.deepEqual(ways(await loaded({})), [undefined, undefined]);
    assert.deepEqual(ways(await loaded({ PAYME: {} })), ['805801', undefined]);
    const codes = [{ prefixes: ['71'], length: [18, 20] }];
    assert.deepEqual(ways(await loaded({ PAYME: { scanned: { codes } } })), ['805801', '805808']);
  });
});

describe('the configuration', () => {
  test('takes, changes, adds and leaves out, in one file over another', async () => {
    const configuration = await loaded(
      {
        FPS: { currencies: ['HKD'] },
        ALIPAY: { presented: { offered: false }, name: { en: 'Ali' } },
        TESTPAY: testPay,
      },
      {},
      { wallets: { UPI_QR: { offered: false }, TESTPAY: { amounts: { HKD: { maxMinor: 10_000 } } } } },
    );
    const all = new Map(knownWallets(configuration).map((wallet) => [wallet.scheme, wallet]));
    const ways = (code: string) => [all.get(code)?.scanned?.payType, all.get(code)?.presented?.payType];
    assert.deepEqual(ways('ALIPAY'), ['800108', undefined]);
    assert.deepEqual(ways('WECHAT'), ['800208', '800201']);
    assert.deepEqual(ways('UPI_QR'), [undefined, undefined]);
    assert.deepEqual(ways('TESTPAY'), ['809908', '809901']);
    assert.deepEqual(all.get('FPS')?.currencies, ['HKD']);
    assert.deepEqual(all.get('ALIPAY')?.name, { en: 'Ali', 'zh-Hant': '支付寶' });
    assert.deepEqual(all.get('TESTPAY')?.bounds, { HKD: { leastMinor: undefined, mostMinor: 10_000n } });
    assert.equal(all.get('TESTPAY')?.givesBack, true);
    assert.deepEqual([...all.keys()].at(-1), 'TESTPAY', 'the built-in ones come first');
  });

  test('the older form names pay types, and takes no other wallet', async () => {
    const wallets = knownWallets(await loaded({}, { scanned: { WECHAT: '801008' }, presented: {} }));
    const taken = wallets.flatMap(({ scheme, scanned, presented }) =>
      scanned || presented ? [[scheme, scanned]] : [],
    );
    assert.deepEqual(taken, [['WECHAT', { payType: '801008' }]]);
  });
});

describe('a fault is told with its place', () => {
  const code = (prefix: string, length: readonly [number, number]) => ({ prefixes: [prefix], length });
  const cases: readonly [what: string, wallets: Json, message: RegExp][] = [
    ['a misspelled wallet', { PAYM: {} }, /^wallets\.PAYM: is not a built-in wallet, .* did you mean PAYME\?$/],
    ['a wallet of nowhere', { TESTPAY: {} }, /^wallets\.TESTPAY: is not a built-in wallet, and has no name$/],
    ['a misspelled key', { FPS: { refnd: 'none' } }, /^wallets\.FPS: has no key "refnd"; did you mean refund\?$/],
    [
      'a misspelled key inside',
      { PAYME: { scanned: { code: [] } } },
      /^wallets\.PAYME\.scanned: has no key "code"; did you mean codes\?$/,
    ],
    ['a key unlike any', { FPS: { x: 1 } }, /^wallets\.FPS: has no key "x"; there are name, logo, offered, /],
    ['a switch instead of an entry', { PAYME: true }, /^wallets\.PAYME: /],
    ['no code', { 'pay-me': testPay }, /^wallets\.pay-me: is no code/],
    ['the code of a card', { VISA: testPay }, /^wallets\.VISA: is the code of another way to pay$/],
    ['the code of all wallets', { QR: testPay }, /^wallets\.QR: is the code of another way to pay$/],
    ['one name', { TESTPAY: { ...testPay, name: { en: 'T' } } }, /^wallets\.TESTPAY\.name\.zh-Hant: is missing$/],
    ['a long name', { PAYME: { name: { en: 'x'.repeat(25) } } }, /^wallets\.PAYME\.name\.en: 1 to 24 characters$/],
    ['no pay_type', { BOC_PAY: { presented: {} } }, /^wallets\.BOC_PAY\.presented\.payType: is missing$/],
    ['no way to take it', { BOC_PAY: {} }, /^wallets\.BOC_PAY: can’t be taken: /],
    [
      'a wrong pay_type',
      { PAYME: { presented: { payType: '80580' } } },
      /^wallets\.PAYME\.presented\.payType: six digits$/,
    ],
    [
      'codes without end',
      { PAYME: { scanned: { codes: [{ prefixes: ['7'], length: [18, 129] }] } } },
      /^wallets\.PAYME\.scanned\.codes\.0\.length\.1: /,
    ],
    [
      'lengths the wrong way round',
      { PAYME: { scanned: { codes: [code('7', [20, 18])] } } },
      /^wallets\.PAYME\.scanned\.codes\.0\.length: the fewest, then the most/,
    ],
    [
      'a payout, which no page of the host has',
      { FPS: { refund: 'payout' } },
      /^wallets\.FPS\.refund: must be one of host, none$/,
    ],
    [
      'a refund of what gives nothing back',
      { FPS: { kinds: ['SALE', 'REFUND'] } },
      /^wallets\.FPS\.kinds: names a kind/,
    ],
    ['a kind that no wallet has', { FPS: { kinds: ['AUTH'] } }, /^wallets\.FPS\.kinds\.0: /],
    ['an unknown currency', { FPS: { currencies: ['HKK'] } }, /^wallets\.FPS\.currencies\.0: /],
    [
      'limits the wrong way round',
      { FPS: { amounts: { HKD: { minMinor: 2, maxMinor: 1 } } } },
      /^wallets\.FPS\.amounts\.HKD: minMinor is above maxMinor$/,
    ],
    [
      'an equal prefix',
      { PAYME: { scanned: { codes: [code('28', [24, 30])] } } },
      /^wallets\.PAYME\.scanned\.codes: has the prefix 28 of ALIPAY too: a code would belong to both$/,
    ],
    [
      'the codes of both WeChats',
      { WECHAT_HK: {} },
      /^wallets\.WECHAT_HK\.scanned\.codes: has the prefix 15 of WECHAT too/,
    ],
    [
      'EMVCo’s codes for two',
      { PAYME: { scanned: { emvco: true } } },
      /^wallets\.PAYME\.scanned\.codes: has the EMVCo codes of UPI_QR too/,
    ],
    [
      'one pay_type for two',
      { TESTPAY: { ...testPay, presented: { payType: '800201' } } },
      /^wallets\.TESTPAY\.presented\.payType: is the pay_type of presented\.WECHAT too/,
    ],
    [
      'no wallet left',
      Object.fromEntries(walletSchemes.map((scheme) => [scheme, { offered: false }])),
      /^wallets: leaves no wallet that is taken/,
    ],
  ];
  for (const [what, wallets, message] of cases) {
    test(what, async () => assert.match(await refusal(wallets), message));
  }

  test('both forms at once', async () => {
    assert.match(
      await refusal({ PAYME: {} }, { scanned: { ALIPAY: '800108' } }),
      /^acquirers\.0\.scanned: is the older/,
    );
  });

  test('a misspelled wallet of the older form', async () => {
    const reported = await refusal({}, { scanned: { ALPAY: '800108' } });
    assert.match(reported, /^acquirers\.0\.scanned\.ALPAY: is not a built-in wallet; did you mean ALIPAY\?$/);
  });

  test('wallets without their host', async () => {
    const card = { protocol: 'iso8583', host: 'h', port: 1, mid: '1'.repeat(15), nii: '003', tpdu: '6000030000' };
    const acquirer = { ...card, id: 'EDC', tid: '00000001', brands: ['VISA'] };
    const shop = { shop: { name: 'Shop' }, reader: { driver: 'neo2', path: '/dev/reader' } };
    const loading = loadConfiguration([file({ ...shop, acquirers: [acquirer], wallets: { PAYME: {} } })]);
    await assert.rejects(loading, / at wallets: needs an acquirer with the protocol qfpay$/);
  });
});

describe('what is no fault', () => {
  for (const [what, wallets] of [
    [
      'a longer prefix, which decides',
      { TESTPAY: { ...testPay, scanned: { payType: '809908', codes: [{ prefixes: ['289'], length: [18, 18] }] } } },
    ],
    [
      'one prefix with lengths that don’t meet',
      { TESTPAY: { ...testPay, scanned: { payType: '809908', codes: [{ prefixes: ['28'], length: [25, 30] }] } } },
    ],
    ['the prefix of a wallet that is not taken', { WECHAT: { offered: false }, WECHAT_HK: {} }],
    [
      'both WeChats, each with its own prefixes',
      {
        WECHAT: { scanned: { codes: [{ prefixes: ['10', '11', '12', '13', '14'], length: [18, 18] }] } },
        WECHAT_HK: {},
      },
    ],
    [
      'the pay_type by which the host looks at the code',
      Object.fromEntries(['ALIPAY', 'WECHAT', 'UPI_QR'].map((each) => [each, { scanned: { payType: '800008' } }])),
    ],
    ['both Alipays, which a tag tells apart', { ALIPAY_HK: {}, ALIPAY_CN: {} }],
  ] satisfies readonly (readonly [string, Json])[]) {
    test(what, async () => assert.ok(await loaded(wallets)));
  }
});

test('the examples of docs/wallets.md are taken, and its table is that of the file', async () => {
  const page = readFileSync(new URL('../../docs/wallets.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = '']) => JSON.parse(text) as Json);
  assert.equal(examples.length, 2);
  for (const { wallets } of examples) assert.ok(await loaded(wallets as Json));
  const rows = Object.entries(builtInWallets).map(([code, { offered, presented, scanned }]) => {
    const tag = presented?.payTag === undefined ? '' : `, tag ${presented.payTag}`;
    const shown = presented ? `${presented.payType}${tag} ` : '';
    return `| ${code} | ${offered ? 'yes' : 'no'} | ${shown}| ${scanned ? `${scanned.payType} ` : ''}|`;
  });
  for (const row of rows) assert.ok(page.includes(row), row);
});

test('the file of built-in wallets is what a configuration may hold, word for word', async () => {
  const builtIn = JSON.parse(
    readFileSync(new URL('../../src/methods/wallet/settings/wallets.json', import.meta.url), 'utf8'),
  ) as Json;
  assert.ok(await loaded(builtIn));
});
