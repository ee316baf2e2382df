import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { configurationSchema } from '../../src/config/configuration.ts';
import { findFaults } from '../../src/config/faults.ts';
import { parseJson } from '../../src/config/json-file.ts';
import { JsonPlaces } from '../../src/config/json-places.ts';
import { sampleConfiguration, sampleNames } from '../../src/config/sample.ts';
import { resolveKeys } from '../../src/config/keys.ts';

const linesOf = (text: string) =>
  findFaults(text).map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);

/** Every set of acquirers with one host at least. */
const sets = Array.from({ length: 1 << sampleNames.length }, (_, bits) =>
  sampleNames.filter((_name, at) => (bits >> at) % 2 === 1),
).filter((names) => names.some((name) => name !== 'OCTOPUS' && name !== 'CASH'));

test(`a sample of each of the ${sets.length} sets can be used, and each of its examples is a setting of it`, () => {
  for (const names of sets) {
    const { configuration, examples } = sampleConfiguration(names);
    assert.deepEqual(linesOf(JSON.stringify(configuration)), [], names.join());
    for (const place of examples) {
      const found = place
        .split('.')
        .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], configuration);
      assert.notEqual(found, undefined, `${names.join()}: ${place}`);
    }
    const { acquirers, octopus, cash } = configurationSchema.parse(
      resolveKeys({ ...configuration }, [], { keys: 'unread' }),
    );
    const taken = [...acquirers.map(({ id }) => id), ...(octopus ? ['OCTOPUS'] : []), ...(cash ? ['CASH'] : [])];
    assert.deepEqual(taken.toSorted(), [...names].toSorted());
  }
});

test('no code that approves is one of an unknown terminal', () => {
  const { configuration } = sampleConfiguration(['EDC']);
  const [edc] = (configuration as { acquirers: readonly object[] }).acquirers;
  const withCodes = (...unknownTerminalCodes: string[]) =>
    linesOf(JSON.stringify({ ...configuration, acquirers: [{ ...edc, unknownTerminalCodes }] }));
  assert.deepEqual(withCodes('58', 'T1'), []);
  for (const code of ['00', '08', '10', '11', '16', '94']) assert.match(withCodes(code).join(), /unknownTerminalCodes/);
});

describe('each fault has its place', () => {
  const rest = '"reader": {"driver": "neo2", "path": "/dev/x"}, "acquirers": [{"id": "EDC"}]';
  const cases: readonly (readonly [what: string, text: string, faults: readonly string[]])[] = [
    ['an empty file', '', ['1:1 the file: is no JSON here: a value should stand here']],
    ['a list', ' []', ['1:2 the file: is not a JSON object']],
    ['a comma too many', '{\n "cash": true,\n}', ['3:1 the file: is no JSON here: a name in quotes should stand here']],
    ['a comma too few', '{\n "a": 1\n "b": 2}', ['3:2 the file: is no JSON here: a comma or } should stand here']],
    ['a second text', '{}\n{}', ['2:1 the file: is no JSON here: the end should stand here']],
    ['no colon', '{"a" 1}', ['1:6 the file: is no JSON here: a colon should stand here']],
    ['a comment', '{ // shop\n}', ['1:3 the file: is no JSON here: a name in quotes should stand here']],
    ['a field that sets a prototype', '{"__proto__": {}}', ['1:1 the file: has a field that no configuration has']],
  ];
  for (const [what, text, faults] of cases) test(what, () => assert.deepEqual(linesOf(text), faults));

  test('a key that stands twice, beside the others', () => {
    const text = `{"shop": {},\r\n  "sh\\u006fp": {"name": "A", "nam": 1},\n${rest.replace('"id": "EDC"', '"id": "QR"')}}`;
    const [first, second, ...others] = linesOf(text);
    assert.equal(first, '2:3 shop: appears twice: each key may appear once');
    assert.equal(second, '2:30 shop.nam: is no setting; did you mean name?');
    assert.ok(
      others.every((line) => line.startsWith('3:')),
      others.join('\n'),
    );
  });

  test('a setting that contradicts another one', () => {
    const { configuration } = sampleConfiguration(['EDC', 'CUP']);
    const text = JSON.stringify(configuration, null, 1).replace('"CUP"', '"EDC"');
    assert.deepEqual(linesOf(text), ['56:10 acquirers.1.id: is that of acquirers.0 too: each id may be used once']);
  });
});

test('a text has a place without JSON exactly where JSON.parse refuses it', () => {
  const parses = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const cut = fc.tuple(fc.json(), fc.nat(), fc.nat(3), fc.string()).map(([text, at, count, more]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + more + text.slice(from + count);
  });
  fc.assert(
    fc.property(fc.oneof(fc.json(), cut), (text) => {
      const { fault } = new JsonPlaces(text);
      assert.equal(fault === undefined, parses(text), JSON.stringify({ text, fault }));
    }),
    { numRuns: 2_000 },
  );
});

test('a text that nests without end, or has one long string, is told and ends', () => {
  assert.match(linesOf('['.repeat(1_000_000))[0] ?? '', /^1:66 the file: is no JSON here: no more than 64 levels/);
  assert.deepEqual(new JsonPlaces(`"${'\\n'.repeat(500_000)}"`).fault, undefined);
});

test('receipt.printedByPosId names no POS that reads like the terminal itself', () => {
  const text = JSON.stringify({
    ...sampleConfiguration(['EDC']).configuration,
    receipt: { printedByPosId: { 'POS-1': 'pos', 收銀機: 'pos', ОРЕRАТОR: 'pos', 'p\u200boid': 'terminal' } },
  });
  assert.deepEqual(
    findFaults(text).map(({ path, message }) => [path, message]),
    ['ОРЕRАТОR', 'p\u200boid'].map((name) => [
      `receipt.printedByPosId.${name}`,
      'is a name that is reserved for the terminal',
    ]),
  );
});

describe('a file that is made to keep its reader busy', () => {
  const long = 'k'.repeat(300_000);
  const many = (count: number, of: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => of(at)).join(',');

  test('a long name above many values', () => {
    const [fault, ...others] = linesOf(`{"${long}": [${many(20_000, () => '1')}]}`);
    assert.equal(fault, '1:2 the file: is no JSON here: a name of at most 256 characters should stand here');
    assert.deepEqual(others, []);
  });

  test('more values than a file of settings has', () => {
    const [fault, ...others] = linesOf(`{${many(20_000, (at) => `"k${at}": 1`)}}`);
    assert.match(fault ?? '', /^1:\d+ the file: is no JSON here: no more than 20000 values should stand here$/);
    assert.deepEqual(others, []);
    assert.throws(() => parseJson(`{"a": [${many(20_000, () => '1')}]}`, 'x.json'), /no more than 20000 values/);
  });

  test('of thousands of faults a hundred are reported, in the order of their lines', () => {
    for (const text of [
      `{${many(19_000, (at) => `\n"k${at}": 1`)}}`,
      `{${many(19_000, (at) => `\n"shop": ${at}`)}}`,
      `{${many(900, (at) => `\n"${String(at).padStart(250, 'k')}": "${long.slice(0, 1_000)}"`)}}`,
      `{"logLevel": "${long}", "acquirers": [${many(50, () => `\n{"protocol": "${long.slice(0, 15_000)}"}`)}]}`,
    ]) {
      const before = process.cpuUsage();
      const faults = findFaults(text);
      const ms = process.cpuUsage(before).user / 1_000;
      assert.ok(faults.length > 50 && faults.length <= 100, String(faults.length));
      const lines = faults.map(({ line }) => line);
      assert.deepEqual(
        lines,
        lines.toSorted((one, other) => one - other),
      );
      // Takes a few hundred milliseconds; half a minute if the text before each fault is split again.
      assert.ok(ms < 10_000, `${ms} ms of the processor`);
    }
  });
});
