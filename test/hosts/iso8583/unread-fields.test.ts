import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hostOutcome } from '../../../src/hosts/iso8583/answer.ts';
import { dialects } from '../../../src/hosts/iso8583/dialect.ts';
import { unpack } from '../../../src/codecs/iso8583/message.ts';
import type { AcquirerHost } from '../../../src/payment/contracts/acquirer-host.ts';
import { bytesMax, type Format, formats, packedField, packedMessage } from '../../codecs/iso8583/notation.ts';
import { authOrder, completionOrder, settlementOrder, uploadOrders } from './orders.ts';
import { bench, bytes, framed, reversalOrder, saleOrder, text } from './terminal.ts';

const deadline = { timeout: 60_000 };

type Fields = Readonly<Record<number, string>>;

const tid = text('12345678');
const host = { 12: '101530', 13: '0825', 37: text('623710000123') };
const sale: Fields = { 3: '000000', 4: '000000003000', 11: '000123', 24: '0003', 39: text('00'), 41: tid };

interface Kind {
  /** The fields of the answer that are read. */
  readonly fields: Fields;
  readonly ask: (acquirer: AcquirerHost) => Promise<{ readonly kind: string }>;
  readonly outcome: string;
  /** Fields that other kinds read, and this one does not. */
  readonly others: readonly number[];
}

const kinds: Readonly<Record<string, Kind>> = {
  '0110': {
    fields: { ...sale, ...host, 38: text('A1B2C3'), 49: text('344') },
    ask: (acquirer) => acquirer.request(authOrder),
    outcome: 'approved',
    others: [60, 63],
  },
  '0210': {
    fields: { ...sale, ...host, 38: text('A1B2C3'), 49: text('344'), 55: '001091081122334455667788' },
    ask: (acquirer) => acquirer.request(saleOrder),
    outcome: 'approved',
    others: [60, 63],
  },
  '0230': {
    fields: { ...sale, ...host, 4: '000000003450', 11: '000127' },
    ask: (acquirer) => acquirer.advise(completionOrder, false),
    outcome: 'acknowledged',
    others: [38, 55, 60, 63],
  },
  '0330': {
    fields: { ...sale, 3: '000001', 11: '000132' },
    ask: (acquirer) => acquirer.upload(uploadOrders.sale, false),
    outcome: 'accepted',
    others: [12, 13, 37, 38, 55, 60, 63],
  },
  '0410': {
    fields: sale,
    ask: (acquirer) => acquirer.reverse(reversalOrder, false),
    outcome: 'acknowledged',
    others: [12, 13, 37, 38, 55, 60, 63],
  },
  '0510': {
    fields: { 3: '920000', 11: '000130', 24: '0003', 39: text('00'), 41: tid },
    ask: (acquirer) => acquirer.settle(settlementOrder),
    outcome: 'balanced',
    others: [4, 12, 13, 37, 38, 55],
  },
};

/** Read in some kind of answer. */
const read = new Set([3, 4, 11, 12, 13, 24, 37, 38, 39, 41, 49, 55, 60, 63]);

function unreadIn({ others }: Kind): Format[] {
  return formats.filter(({ number }) => !read.has(number) || others.includes(number));
}

const contents: Readonly<Record<string, Uint8Array>> = {
  GBK: bytes('BDBBD2D7B3C9B9A620C7EBC8A1BFA8'),
  'CR LF': Buffer.from('A\r\nB\r\n'),
  zeros: new Uint8Array(8),
  'all ones': new Uint8Array(8).fill(0xff),
  'letters for digits': Buffer.from('ABCDEFGH'),
};

const every = Uint8Array.from({ length: 999 }, (_, at) => at & 0xff);

/** Each content that this field can have on the wire. */
function* wiresOf(format: Format): Generator<[what: string, wire: string]> {
  for (const [what, content] of Object.entries(contents)) yield [what, packedField(format, content)];
  if (!format.variable) {
    yield ['every byte', packedField(format, every)];
    return;
  }
  yield ['nothing', packedField(format, new Uint8Array(0))];
  yield ['as much as its length can say', packedField(format, every.subarray(0, bytesMax(format)))];
}

const { EDC } = dialects;
const spec = EDC.answerSpec;
const decoded = (mti: string, fields: Fields) => unpack(spec, bytes(packedMessage(mti, fields)));

for (const [mti, kind] of Object.entries(kinds)) {
  const plain = decoded(mti, kind.fields);

  test(`${mti}: no content of a field that is not read changes what is read`, () => {
    for (const format of unreadIn(kind)) {
      for (const [what, wire] of wiresOf(format)) {
        const { [format.number]: _, ...others } = kind.fields;
        const without = { ...plain, fields: { ...plain.fields, [format.number]: undefined } };
        const message = decoded(mti, { ...others, [format.number]: wire });
        assert.deepEqual(definedOnly(message), definedOnly(without), `field ${format.number}, ${what}`);
      }
    }
  });

  test(`${mti}: an answer with foreign bytes in all such fields is an answer`, deadline, async (t) => {
    for (const [what, content] of Object.entries(contents)) {
      const extra = Object.fromEntries(unreadIn(kind).map((format) => [format.number, packedField(format, content)]));
      const { host: peer, acquirer } = await bench(t);
      const outcome = kind.ask(acquirer);
      const side = await peer.accepted();
      await side.readFrame();
      await side.write(framed(packedMessage(mti, { ...kind.fields, ...extra })));
      assert.equal((await outcome).kind, kind.outcome, what);
      assert.equal(acquirer.link, 'up', what);
    }
  });

  test(`${mti}: a field that is read is strict, and so is the length of every other`, () => {
    for (const number of [3, 11, 24, 39, 41]) {
      const { length } = kind.fields[number] ?? '';
      assert.throws(() => decoded(mti, { ...kind.fields, [number]: 'FF'.repeat(length / 2) }), `field ${number}`);
    }
    for (const format of unreadIn(kind).filter(({ variable }) => variable)) {
      const wide = packedField(format, Buffer.from('AB')).length > 6;
      for (const length of wide ? ['1002', '0A02', '000F', '0999'] : ['0F', 'A1', '99']) {
        assert.throws(
          () => decoded(mti, { ...kind.fields, [format.number]: `${length}4142` }),
          `field ${format.number}`,
        );
      }
    }
  });
}

function definedOnly({ mti, fields }: { mti: string; fields: object }) {
  return { mti, fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) };
}

test('a message of a type that answers nothing is split, whatever is in it', () => {
  for (const mti of ['0800', '0810', '0820', '0620']) {
    const all = Object.fromEntries(
      formats.map((format) => [format.number, packedField(format, contents['GBK'] ?? every)]),
    );
    assert.deepEqual(decoded(mti, all), { mti, fields: {} });
  }
});

test('random bytes in fields that are not read leave the outcome as it is', (t) => {
  const extra = fc.uniqueArray(
    fc.record({
      format: fc.constantFrom(...unreadIn(kinds['0210'] ?? assert.fail())),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    }),
    { selector: ({ format }) => format.number, maxLength: 20 },
  );
  const seed = Number(process.env['SEED'] ?? Date.now() % 0x7fffffff);
  t.diagnostic(`SEED=${seed}`);
  const { fields = {} } = kinds['0210'] ?? {};
  const request = unpack(EDC.spec, bytes(packedMessage('0200', { 3: '000000', 4: '000000003000', 49: text('344') })));
  const outcomeOf = (of: Fields) => hostOutcome(EDC, 'sale', { request, answer: decoded('0210', of) });
  fc.assert(
    fc.property(extra, (added) => {
      const more = Object.fromEntries(
        added.map(({ format, bytes: content }) => [format.number, packedField(format, content)]),
      );
      assert.deepEqual(outcomeOf({ ...fields, ...more }), outcomeOf(fields));
    }),
    { seed, numRuns: 2000 },
  );
});
