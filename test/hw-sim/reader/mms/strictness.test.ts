import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../stage.ts';
import { armed, cancel, cancelled, everything, ready, start, started, whysOf } from './stage.ts';
import { fixture, object, reportsOf, request, response } from './wire.ts';

const terms = '9c01009f02060000000030009f03060000000000005f2a020344';
const modes = '810101820101830103';

function payload(parts: { seconds?: string; modes?: string; options?: string; terms?: string }): string {
  return [
    parts.seconds ?? '82011e',
    object('a3', parts.modes ?? modes),
    parts.options ?? '84020002',
    object('86', parts.terms ?? terms),
  ].join('');
}

describe('a start that no driver should send is recorded and refused', () => {
  const bad: [name: string, payload: string, why: RegExp][] = [
    ['nothing', '', /1001 without 82/],
    ['no list', '8202', /no list/],
    ['no time-out', payload({ seconds: '' }), /without 82/],
    ['a time-out of 0', payload({ seconds: '820100' }), /a time-out that is none/],
    ['a time-out of two bytes', payload({ seconds: '8202001e' }), /a time-out that is none/],
    ['options unheard of', payload({ options: '84020102' }), /options/],
    ['Quick Chip', payload({ options: '84020003' }), /options/],
    ['no options', payload({ options: '' }), /without 84/],
    ['an object more', `${payload({})}850100`, /1001 with 85/],
    ['an object twice', `82011e${payload({})}`, /names a tag twice/],
    ['no interface armed', payload({ modes: '810100820100830100' }), /arms no interface/],
    ['an interface not named', payload({ modes: '820101830103' }), /A3 of 1001 without 81/],
    ['an interface unheard of', payload({ modes: `${modes}84020000` }), /A3 of 1001 with 84/],
    ['a stripe mode unheard of', payload({ modes: '810180820101830103' }), /mode .* stripe/],
    ['NFC tags alone', payload({ modes: '810101820101830102' }), /mode .* contactless/],
    ['a mode of two bytes', payload({ modes: '81010182020001830103' }), /mode .* chip/],
    ['no amount', payload({ terms: '9c01009f03060000000000005f2a020344' }), /86 of 1001 without 9F02/],
    ['no currency', payload({ terms: '9c01009f02060000000030009f0306000000000000' }), /86 of 1001 without 5F2A/],
    ['an amount of five bytes', payload({ terms: terms.replace('9f0206000000003000', '9f02050000003000') }), /digits/],
    ['an amount in hex', payload({ terms: terms.replace('003000', '00300a') }), /digits/],
    ['a tag that it has no use for', payload({ terms: `${terms}9f150200 00`.replace(' ', '') }), /with 9F15/],
  ];
  for (const [name, data, why] of bad) {
    test(name, (t) => {
      const { reader, ask, heard } = ready(t);
      ask(request('1001', data));
      assert.deepEqual(heard(), [response('1001', '80 010102')]);
      assert.match(whysOf(reader).join(), why);
      assert.equal(reader.armed, false);
    });
  }

  test('contactless without tags is contactless', (t) => {
    const { reader, ask } = ready(t);
    ask(request('1001', payload({ modes: '810100820100830101' })));
    assert.deepEqual(reader.state().interfaces, ['contactless']);
  });
});

describe('what no driver should send is recorded', () => {
  for (const [name, message, status] of [
    ['1001', start(everything), '80 020308'],
    ['2001', fixture('enter PIN, 60 s'), '80 020308'],
    ['1004', fixture('resume, declined 05'), '81 020304'],
    ['1f01', request('1f01'), '81 010101'],
  ] as const) {
    test(`${name} while a card is waited for, which goes on`, (t) => {
      const { reader, ask, heard } = armed(t);
      ask(message);
      assert.deepEqual(heard(), [response(name, status)]);
      assert.equal(reader.unexpected.length, 1);
      assert.deepEqual(reader.unexpected[0], {
        at: at.toISOString(),
        hex: message.toLowerCase(),
        why: whysOf(reader)[0],
      });
      assert.equal(reader.armed, true);
    });
  }

  const silent: [name: string, message: string, why: RegExp][] = [
    ['another start byte', 'ab00810401011008 84021008', /AA 00/],
    ['another version', 'aa01810401011008 84021008', /AA 00/],
    ['nothing behind the start', 'aa00', /81 of four bytes/],
    ['no list', 'aa0081040101100884', /no list/],
    ['81 of three bytes', 'aa008103010110 84021008', /81 of four bytes/],
    ['a response', 'aa00810402011008 84021008', /no request/],
    ['no 84', 'aa00810401011008', /84 alone/],
    ['something else before 84', 'aa00810401011008 8200 84021008', /84 alone/],
    ['something behind 84', 'aa00810401011008 84021008 9e00', /84 alone/],
    ['84 with another id', 'aa00810401011008 84021001', /repeat its id/],
    ['84 with an id too high', 'aa00810401011008 84021009', /repeat its id/],
    ['84 with half an id', 'aa00810401011008 840110', /repeat its id/],
  ];
  for (const [name, message, why] of silent) {
    test(`a message with ${name}: nobody is answered`, (t) => {
      const { reader, ask, heard } = armed(t);
      ask(message);
      assert.deepEqual(heard(), []);
      assert.match(whysOf(reader).join(), why);
      assert.equal(reader.unexpected[0]?.hex, message.replaceAll(' ', ''));
      ask(cancel);
      assert.equal(heard()[0], cancelled);
    });
  }

  test('a report that is none: recorded, and the next is taken', (t) => {
    const { pty, reader, heard } = armed(t);
    pty.send(`07${'0'.repeat(126)}${reportsOf(cancel)}`);
    assert.equal(heard()[0], cancelled);
    assert.deepEqual(whysOf(reader), ['a report of no known kind']);
  });

  test('a report that does not go on is given up after a second', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader, heard } = ready(t);
    pty.send(reportsOf(cancel).slice(0, 100));
    t.mock.timers.tick(999);
    assert.deepEqual(reader.unexpected, []);
    t.mock.timers.tick(1);
    assert.deepEqual(whysOf(reader), ['bytes that are no report']);
    pty.send(reportsOf(start(everything)));
    assert.deepEqual(heard(), [started]);
  });

  test('the first 200 findings are kept', (t) => {
    const { reader, ask } = ready(t);
    for (let count = 0; count < 250; count++) ask('00');
    assert.equal(reader.unexpected.length, 200);
  });
});
