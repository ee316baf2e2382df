import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findAcquirerFileFaults } from '../../../src/config/acquirer-files.ts';
import { compareTerms, withoutKey } from '../../../src/config/host-terms.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { sampleConfiguration } from '../../../src/config/sample.ts';
import { builtInDialects, compileDialect } from '../../../src/hosts/iso8583/dialect.ts';
import { Requests } from '../../../src/hosts/iso8583/request.ts';
import type { DialectFile, FieldEntry } from '../../../src/hosts/iso8583/dialects/dialect-schema.ts';
import { dialectFileSchema } from '../../../src/hosts/iso8583/dialects/check.ts';
import { settlementOrder } from './orders.ts';
import { reversalOrder } from './terminal.ts';

type Json = Record<string, unknown>;

const identity = {
  tid: '12345678',
  mid: '123456789012345',
  nii: '003',
  countryNumeric: '344',
  timeZone: 'Asia/Hong_Kong',
  values: {},
};

let dir: string;
before(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-dialect-'));
});
after(() => rmSync(dir, { recursive: true }));

/** A built-in dialect as a file, changed by `change`. */
function dialect(change: (file: DialectFile) => void = () => undefined): Json {
  const file = structuredClone(builtInDialects.EDC);
  change(file);
  return { ...file };
}

function entryOf(file: DialectFile, number: number): FieldEntry {
  return file.fields[String(number)] ?? assert.fail();
}

/** The dialect file of the invented bank. */
function harbourThird(): DialectFile {
  return JSON.parse(readFileSync('fixtures/banks/harbour-third/bank.json', 'utf8')) as DialectFile;
}

/** Writes a configuration and its dialect file. Returns the path of the configuration. */
function written(file: unknown, entry: Json = {}): string {
  const text = typeof file === 'string' ? file : JSON.stringify(file, null, 2);
  writeFileSync(path.join(dir, 'bank.json'), text);
  const { configuration } = sampleConfiguration(['EDC']) as { configuration: Json };
  const [acquirer] = configuration['acquirers'] as [Json];
  const own = { ...acquirer, id: 'BANK2', dialect: 'bank.json', ...entry };
  const name = path.join(dir, 'poid.json');
  writeFileSync(name, JSON.stringify({ ...configuration, acquirers: [own] }, null, 2));
  return name;
}

const load = (name: string) => loadConfiguration([name], {}, { keys: 'unread' });

test('the built-in dialects are files that the service accepts', () => {
  for (const each of Object.values(builtInDialects)) {
    assert.deepEqual(dialectFileSchema.safeParse(JSON.parse(JSON.stringify(each))).error?.issues, undefined);
  }
});

test('a message has room for a PIN block if the dialect has a value for one of its format', async () => {
  const bank = dialectFileSchema.parse(harbourThird());
  const changed = harbourThird();
  changed.fields['52'] = { content: 'wholePinBlock', encoding: 'hex', length: 32, prefix: 'ascii2' } as FieldEntry;
  changed.messages.sale?.fields.push(52);
  const whole = dialectFileSchema.parse(changed);
  const rooms = [builtInDialects.EDC, bank, whole].map((file) => {
    const { messages } = file;
    const requests = new Requests(compileDialect(file), identity);
    const room = (operation: 'sale' | 'refund') => [
      requests.sendsPin(operation),
      requests.sendsPin(operation, 'ISO-0'),
      requests.sendsPin(operation, 'ISO-4'),
    ];
    return messages.sale && [...room('sale'), ...room('refund')];
  });
  assert.deepEqual(rooms, [
    [true, true, true, true, true, true],
    [false, false, false, false, false, false],
    [true, true, true, false, false, false],
  ]);
});

test('a repeated settlement differs from the first in its type alone', () => {
  const bank = dialectFileSchema.parse(harbourThird());
  const requests = new Requests(compileDialect(bank), identity);
  const order = { ...settlementOrder, at: new Date('2026-11-29T09:00:00Z') };
  const [first, repeated] = [requests.settlement(order), requests.settlement({ ...order, repeat: true })];
  assert.deepEqual([first.mti, repeated.mti], ['0500', '0501']);
  assert.deepEqual(repeated.fields, first.fields);
});

test('a reversal has its reason in the bank’s digits, and the number of the answer if there was one', () => {
  const requests = new Requests(compileDialect(dialectFileSchema.parse(harbourThird())), identity);
  const fieldsOf = (order: object) => {
    const { fields } = requests.reversal({ ...reversalOrder, at: new Date(0), ...order }, false);
    return [fields[37], String(fields[48]).slice(-6)];
  };
  assert.deepEqual(fieldsOf({ reason: 'noAnswer' }), [undefined, '080201']);
  assert.deepEqual(fieldsOf({ reason: 'cardRefused', rrn: '633317000009' }), ['633317000009', '080203']);
  const without = harbourThird();
  delete without.messages.reversal.reasons;
  const [issue] = dialectFileSchema.safeParse(without).error?.issues ?? [];
  assert.equal(issue?.message, 'needs the reasons of this message');
});

test('a dialect file is read beside the configuration that names it', async () => {
  const { acquirers } = await load(written(dialect()));
  assert.deepEqual((acquirers[0] as { dialectContent?: unknown }).dialectContent, dialect());
});

test('an acquirer with a name of its own needs a dialect', async () => {
  await assert.rejects(load(written(dialect(), { dialect: undefined })), /acquirers\.0\.dialect: is missing/);
});

const faults: readonly [what: string, file: unknown, entry: Json, message: RegExp][] = [
  ['no JSON', '{', {}, /bank\.json:1:2: the file: is no JSON here/],
  [
    'an unknown key',
    dialect((file) => void Object.assign(file.framing, { lenght: 'binary2' })),
    {},
    /framing\.lenght: is no setting; did you mean length\?/,
  ],
  ['a key twice', JSON.stringify(dialect()).replace('{', '{"name":"x",'), {}, /name: appears twice/],
  [
    'a card number in clear',
    dialect((file) => file.messages.sale.fields.push(2)),
    {},
    /messages\.sale\.fields\.15: would carry card data in clear/,
  ],
  [
    'a track in a reversal',
    dialect((file) => file.messages.reversal.repeats.push(35)),
    {},
    /messages\.reversal\.repeats\.12: would carry card data in clear/,
  ],
  [
    'a field without content',
    dialect((file) => file.messages.sale.fields.push(61)),
    {},
    /messages\.sale\.fields\.15: has no content/,
  ],
  [
    'an unknown value',
    dialect((file) => void Object.assign(entryOf(file, 4), { content: 'ammount' })),
    {},
    /fields\.4\.content: must be one of .*; did you mean amount\?/,
  ],
  [
    'an answer that could be another one',
    dialect((file) => (file.messages.reversal.answer = '0210')),
    {},
    /messages\.reversal\.answer: is also the answer to a request/,
  ],
  ['no number that an answer repeats', dialect((file) => delete entryOf(file, 11).echoed), {}, /fields: must have 11/],
  [
    'a code with two meanings',
    dialect((file) => (file.codes.approved = ['00', '91'])),
    {},
    /codes: has a code that is in both approved and undecided/,
  ],
  [
    'a length beyond its prefix',
    dialect((file) => void (entryOf(file, 48).prefix = 'bcd2')),
    {},
    /fields\.48\.length: is more than its prefix can say/,
  ],
  ['no TPDU', dialect(), { tpdu: undefined }, /acquirers\.0\.tpdu: is missing: the dialect needs it/],
  [
    'a kind without a message',
    dialect((file) => delete file.messages.tipAdjust),
    { kinds: ['SALE', 'TIP_ADJUST'] },
    /acquirers\.0\.kinds\.1: has no message in the dialect/,
  ],
  [
    'a setting that is not there',
    dialect((file) => void (entryOf(file, 25).content = { setting: 'storeCode' })),
    {},
    /acquirers\.0\.values: lacks storeCode/,
  ],
];

describe('a fault is told with its place, at the start and by config check', () => {
  for (const [what, file, entry, message] of faults) {
    test(what, async () => {
      const name = written(file, entry);
      await assert.rejects(load(name), message);
      const found = await findAcquirerFileFaults(readFileSync(name, 'utf8'), name);
      assert.ok(
        found.some((each) => message.test(`${each.path}: ${each.message}`)),
        JSON.stringify(found),
      );
      assert.ok(found.every(({ line }) => line > 1));
    });
  }
});

test('a file that is missing is a fault of the key that names it', async () => {
  await assert.rejects(
    load(written(dialect(), { dialect: 'none.json' })),
    /acquirers\.0\.dialect: names a file that can't be used/,
  );
});

test('a number that no field has is a fault, and is not repeated', async () => {
  const file = dialect(({ messages }) => void messages.sale?.fields.push(4_761_739_001_010_119));
  const error = await load(written(file)).then(() => assert.fail(), String);
  assert.match(error, /messages\.sale\.fields/);
  assert.ok(!error.includes('4761739001010119'), error);
});

test('a dialect without TPDU and NII needs neither in the configuration', async () => {
  const file = dialect((each) => {
    Object.assign(each, { framing: { length: 'ascii4' } });
    for (const row of Object.values(each.messages).filter((one) => one !== undefined)) {
      row.fields = row.fields.filter((number) => number !== 24);
      if ('repeats' in row) row.repeats = row.repeats.filter((number) => number !== 24);
    }
    delete each.fields['24'];
  });
  await load(written(file, { tpdu: undefined, nii: undefined }));
});

test('a dialect is a term of its acquirer, however it is written', async () => {
  const of = async (file: unknown) => withoutKey((await load(written(file))).acquirers[0]!);
  const first = await of(dialect());
  const reordered = Object.fromEntries(Object.entries(dialect()).toReversed());
  assert.deepEqual(compareTerms(first, await of(reordered)), []);
  assert.deepEqual(
    compareTerms(first, await of(dialect((file) => void (entryOf(file, 25).content = { constant: '08' })))),
    ['dialect'],
  );
});
