import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Numbers } from '../../../../hw-sim/host/iso8583/numbers.ts';
import { amountText, merchantCode, withWrongCrc } from '../../../../hw-sim/host/qfpay/merchant-code.ts';
import { Phones } from '../../../../hw-sim/host/qfpay/phones.ts';
import { Wallets } from '../../../../hw-sim/host/qfpay/wallets.ts';
import { fixture } from './fixture.ts';

interface Codes {
  readonly merchantPresented: readonly { readonly payload: string; readonly crc: string }[];
  readonly crcCheck: { readonly text: string; readonly crc: string };
  readonly wallets: { readonly codes: readonly { readonly code: string; readonly scheme?: string }[] };
}

const codes = await fixture<Codes>('qr/codes.json');

const wallets = new Wallets();
const walletOf = (code: string) => wallets.ofCode(code)?.code;

/** CRC-16/CCITT-FALSE by long division over the bits, unlike the table or register of anybody else here. */
function crcOf(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  let value = BigInt(`0x${bytes.toString('hex')}0000`);
  const length = bytes.length * 8;
  value ^= 0xffffn << BigInt(length);
  for (let bit = length - 1; bit >= 0; bit--) {
    if ((value >> BigInt(bit + 16)) & 1n) value ^= 0x11021n << BigInt(bit);
  }
  return value.toString(16).toUpperCase().padStart(4, '0');
}

function objects(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; ) {
    const id = characters.slice(at, at + 2).join('');
    const length = Number(characters.slice(at + 2, at + 4).join(''));
    assert.ok(Number.isInteger(length) && at + 4 + length <= characters.length, 'an object is whole');
    assert.ok(!found.has(id), 'an object comes once');
    found.set(id, characters.slice(at + 4, at + 4 + length).join(''));
    at += 4 + length;
  }
  return found;
}

const soundCrc = (payload: string) => crcOf(payload.slice(0, -4)) === payload.slice(-4);

describe('the way in which this test computes checksums', () => {
  it('agrees with the published values', () => {
    assert.equal(crcOf(codes.crcCheck.text), codes.crcCheck.crc);
    for (const { payload, crc } of codes.merchantPresented) {
      assert.ok(soundCrc(payload));
      assert.ok(payload.endsWith(crc));
    }
  });
});

describe('a merchant-presented code', () => {
  const content = { currency: 'HKD', amountMinor: 3000n, reference: 'T1-000001' } as const;

  it('of FPS is an EMVCo payload in the Hong Kong template', () => {
    const code = merchantCode({ ...content, wallet: wallets.of('FPS') }, new Numbers(1));
    assert.ok(soundCrc(code));
    const found = objects(code);
    assert.equal([...found.keys()].join(' '), '00 01 26 52 53 54 58 59 60 62 63');
    assert.deepEqual(
      ['00', '01', '52', '53', '54', '58', '59', '60'].map((id) => found.get(id)),
      ['01', '12', '0000', '344', '30.00', 'HK', 'NA', 'HK'],
    );
    assert.deepEqual(
      [...objects(found.get('26') ?? '')],
      [
        ['00', 'hk.com.hkicl'],
        ['02', '166001234'],
      ],
    );
    assert.deepEqual([...objects(found.get('62') ?? '')], [['05', 'T1-000001']]);
  });

  it('of FPS names renminbi by its number', () => {
    const code = merchantCode({ ...content, wallet: wallets.of('FPS'), currency: 'CNY' }, new Numbers(1));
    assert.ok(soundCrc(code));
    assert.deepEqual([objects(code).get('53'), objects(code).get('54')], ['156', '30.00']);
  });

  it('of UnionPay has its account in 15', () => {
    const code = merchantCode({ ...content, wallet: wallets.of('UPI_QR') }, new Numbers(1));
    assert.ok(soundCrc(code));
    const found = objects(code);
    assert.match(found.get('15') ?? '', /^[0-9]{16}[0-9A-Z]{15}$/);
    assert.equal(found.get('53'), '344');
    assert.equal(found.get('54'), '30.00');
    assert.equal(found.get('62'), '0509T1-000001');
  });

  it('of the others is an address, never the same twice', () => {
    const numbers = new Numbers(1);
    const drawn = Array.from({ length: 50 }, () => [
      merchantCode({ ...content, wallet: wallets.of('ALIPAY') }, numbers),
      merchantCode({ ...content, wallet: wallets.of('WECHAT') }, numbers),
    ]).flat();
    assert.equal(new Set(drawn).size, drawn.length);
    for (const code of drawn) {
      assert.match(
        code,
        /^(https:\/\/qr\.alipay\.com\/bax[a-z0-9]{21}|weixin:\/\/wxpay\/bizpayurl\?pr=[A-Za-z0-9]{9})$/,
      );
    }
  });

  it('can have a wrong checksum and be right in everything else', () => {
    const code = merchantCode({ ...content, wallet: wallets.of('FPS') }, new Numbers(1));
    const damaged = withWrongCrc(code);
    assert.equal(damaged.slice(0, -4), code.slice(0, -4));
    assert.match(damaged.slice(-4), /^[0-9A-F]{4}$/);
    assert.ok(!soundCrc(damaged));
    assert.equal(withWrongCrc('https://qr.alipay.com/bax1'), 'https://qr.alipay.com/bax1');
  });

  it('names an amount with its cents', () => {
    assert.deepEqual([1n, 10n, 100n, 12345n].map(amountText), ['0.01', '0.10', '1.00', '123.45']);
  });
});

describe('the code of a phone', () => {
  it('tells its wallet as the published ones do', () => {
    for (const { code, scheme } of codes.wallets.codes) assert.equal(walletOf(code), scheme);
    for (const code of ['', '28943186936271464', '2894318693627146451234567', '28943186936271464x']) {
      assert.equal(walletOf(code), code.length === 17 ? 'ALIPAY' : undefined);
    }
  });

  it('is fresh, fits its wallet and pays once, whatever comes of it', () => {
    const phones = new Phones(new Numbers(7), wallets, () => new Date(0));
    for (const wallet of wallets.all.filter(({ scanned }) => scanned)) {
      const shown = Array.from({ length: 20 }, () => phones.show(wallet.code));
      assert.equal(new Set(shown).size, shown.length);
      for (const code of shown) {
        assert.equal(walletOf(code), wallet.code);
        assert.equal(phones.take(code, undefined), wallet);
        assert.equal(phones.take(code, undefined), '2005');
      }
    }
  });

  it('is of no use in another wallet, or a day later', () => {
    let now = 0;
    const phones = new Phones(new Numbers(7), wallets, () => new Date(now));
    const code = phones.show('WECHAT');
    assert.equal(phones.take(code, wallets.of('ALIPAY')), '1202');
    now = 86_400_000;
    assert.equal(phones.take(code, wallets.of('WECHAT')), '1202');
    now -= 1;
    assert.equal(phones.take(code, wallets.of('WECHAT')), wallets.of('WECHAT'));
  });
});

it('every payment type of the fixtures is known, as what it is', async () => {
  interface Published {
    readonly payTypes: Readonly<Record<'presented' | 'scanned', Readonly<Record<string, string>>>>;
  }
  const published = (await fixture<Published>('messages/qfpay.json')).payTypes;
  for (const flow of ['presented', 'scanned'] as const) {
    for (const [wallet, code] of Object.entries(published[flow]))
      assert.deepEqual(wallets.byPayType(code, undefined), {
        flow,
        wallet: wallets.of(wallet),
      });
  }
});
