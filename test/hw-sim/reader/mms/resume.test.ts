import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { card } from '../stage.ts';
import { armed, arpc, cancel, everything, ready, resume, resumed, serial, start, waiting, whysOf } from './stage.ts';
import { fixture, notification, object, objectsOf, request, response, transactionData } from './wire.ts';

/** Tag 91 of the Visa card's issuer for 00 and 05, and the card's last word: as in test/hw-sim/card/second-cryptogram. */
const visa = {
  approved: '9108 1550553300830000',
  declined: '9108 6BFFCEAE00000000',
  tc: 'B815E724197DB1CE',
  aac: '272CC35CDF8AD7E6',
};

const chipEnded = (result: string) => notification(`0105 10 ${result === '00' ? '020600' : '028000'}`);

describe('a chip', () => {
  test('is inserted, asks for authorization and stays in its slot', async (t) => {
    const { reader, heard } = armed(t, 'chip');
    assert.equal(await reader.insert(card('visa')), true);
    const [inserted, asking = '', ...more] = heard();
    assert.equal(inserted, fixture('contact card inserted'));
    assert.ok(asking.startsWith(notification('0101 10 080202')));
    assert.deepEqual(more, []);
    const { clear, sealed } = transactionData(asking);
    assert.equal(clear.get('DFDF52'), '05');
    assert.equal(clear.get('9F39'), '05');
    assert.equal(clear.get('9F26'), '71C43E4C200FB0AF');
    // The ciphertexts are computed with Python's cryptography package from the key of the published vectors.
    assert.deepEqual(
      [...sealed],
      [
        ['DFDF59', '86E0D13F594DED609564CC183B923FC452E7AF878C7AE3DA'],
        ['DFDF5A', 'F9A2A5F0D3F648B8DD180341320CD753'],
        ['DFDF56', 'FFFF9876543210E00001'],
        ['DFDF57', '80'],
        ['DFDF58', '06'],
      ],
    );
    const { armed: stillArmed, chipWaits, insertedCard } = reader.state();
    assert.deepEqual(
      { stillArmed, chipWaits, insertedCard },
      { stillArmed: false, chipWaits: true, insertedCard: 'visa' },
    );
  });

  test('that is there first is read as soon as the reader waits for it', async (t) => {
    const { reader, ask, heard } = ready(t);
    const met = reader.insert(card('visa'));
    assert.deepEqual(heard(), []);
    ask(start('chip'));
    assert.equal(await met, true);
    assert.equal(heard().length, 3);
  });

  test('stays unread where none is waited for', async (t) => {
    const { reader, heard } = armed(t, 'tap msr');
    const met = reader.insert(card('visa'));
    reader.remove();
    assert.equal(await met, false);
    assert.deepEqual(heard(), []);
    assert.equal(reader.armed, true);
  });

  test('goes before a card that is held there', async (t) => {
    const { reader, ask, heard } = ready(t);
    const tap = reader.tap(card('jcb'));
    const insert = reader.insert(card('visa'));
    ask(start(everything));
    assert.equal(await insert, true);
    assert.equal(heard()[1], fixture('contact card inserted'));
    reader.remove();
    assert.equal(await tap, false);
  });

  for (const [name, given] of [
    ['without one', 'eps'],
    ['that can not be read', 'visa'],
  ] as const) {
    test(`${name}: use the stripe, and the customer takes the card`, async (t) => {
      const { reader, heard } = armed(t);
      if (given === 'visa') await reader.fault({ chipFails: true });
      assert.equal(await reader.insert(card(given)), true);
      assert.deepEqual(heard(), [fixture('contact card inserted'), fixture('transaction over, use the stripe')]);
      const { insertedCard, cardsRead, chipWaits } = reader.state();
      assert.deepEqual(
        { insertedCard, cardsRead, chipWaits },
        { insertedCard: undefined, cardsRead: 0, chipWaits: false },
      );
    });
  }
});

describe('the second half', () => {
  const outcomes: [name: string, data: string, result: string, last: string][] = [
    ['approved', `8A023030 ${visa.approved}`, '00', `9F2608${visa.tc} 9F270140 95058000000000 9B027800`],
    ['approved without a proof', '8A023030', '00', `9F2608${visa.tc} 9F270140 95058000000000 9B026800`],
    [
      'approved with scripts',
      `8A023030 ${visa.approved} 7106 860484180000 7206 860484180000`,
      '00',
      `9F2608${visa.tc} 9F270140 95058000000000 9B027C00`,
    ],
    [
      'approved, and no command in its script',
      `8A023030 ${visa.approved} 7204 9F180100`,
      '00',
      `9F2608${visa.tc} 9F270140 95058000000010 9B027C00`,
    ],
    [
      'approved by somebody else',
      '8A023030 9108 1550553400830000',
      '02',
      '9F2608B7B2A34E8E95A5FF 9F270100 95058000000040 9B027800',
    ],
    ['declined', `8A023035 ${visa.declined}`, '02', `9F2608${visa.aac} 9F270100 95058000000000 9B027800`],
    ['not to be asked', '8A025A33', '02', `9F2608${visa.aac} 9F270100 95058000000000 9B026800`],
  ];
  for (const [name, data, result, last] of outcomes) {
    test(`${name}: an answer, then the chip's last word, and the customer takes the card`, async (t) => {
      const { reader, ask, heard } = await waiting(t);
      ask(resume(data));
      const [answer, batch = '', ...more] = heard();
      assert.equal(answer, resumed);
      assert.ok(batch.startsWith(notification('0101 10 080302')));
      assert.deepEqual(more, [chipEnded(result)]);
      const { parts, results, clear, serial: reported } = transactionData(batch);
      assert.equal(reported, serial);
      assert.deepEqual([...parts.keys()], ['70', 'F0']);
      assert.equal(results.get('DFDF1A'), result);
      assert.deepEqual([...clear], objectsOf(last.replaceAll(' ', '')));
      const { chipWaits, insertedCard } = reader.state();
      assert.deepEqual({ chipWaits, insertedCard }, { chipWaits: false, insertedCard: undefined });
      assert.deepEqual(reader.unexpected, []);
    });
  }

  for (const [name, result] of [
    ['resume, declined 05', '02'],
    ['resume, host unreachable', '02'],
    // The proof of this vector is a sample, which no chip takes.
    ['resume, approved, with scripts', '02'],
  ] as const) {
    test(`'${name}' of the fixtures: ${result}`, async (t) => {
      const { reader, ask, heard } = await waiting(t);
      ask(fixture(name));
      const [answer, batch = ''] = heard();
      assert.equal(answer, resumed);
      assert.equal(transactionData(batch).results.get('DFDF1A'), result);
      assert.deepEqual(reader.unexpected, []);
    });
  }

  test('as published', async (t) => {
    const { reader, ask, heard } = armed(t, 'chip', {
      serial: Buffer.from('992690E116120710', 'hex').toString('latin1'),
    });
    await reader.insert(card('visa'));
    heard();
    ask(fixture('resume, approved'));
    const [answer, batch = ''] = heard();
    assert.equal(answer, response('1004', '00 000000', '00'));
    assert.equal(transactionData(batch).results.get('DFDF1A'), '00');
    assert.deepEqual(reader.unexpected, []);
  });

  test('is answered as published', async (t) => {
    const { ask, heard } = await waiting(t);
    ask(request('1004', `810100${arpc('8a023030')}`, '06'));
    assert.equal(heard()[0], fixture('resume answer'));
  });

  test('a card that refuses although its issuer has approved, once', async (t) => {
    const { reader, ask, heard } = await waiting(t);
    await reader.fault({ cardRefuses: true });
    ask(resume(`8A023030 ${visa.approved}`));
    const refused = transactionData(heard()[1] ?? '');
    assert.deepEqual([refused.results.get('DFDF1A'), refused.clear.get('9F26')], ['02', visa.aac]);
    ask(start('chip'));
    await reader.insert(card('visa'));
    heard();
    ask(resume('8A023030'));
    assert.equal(transactionData(heard()[1] ?? '').results.get('DFDF1A'), '00');
  });

  test('of a card that was taken out: removed at once, a card error when the host has spoken', async (t) => {
    const { reader, ask, heard } = await waiting(t);
    reader.remove();
    assert.deepEqual(heard(), [fixture('contact card removed')]);
    assert.equal(reader.state().chipWaits, true);
    reader.remove();
    assert.deepEqual(heard(), [], 'it is removed once');
    ask(resume(`8A023030 ${visa.approved}`));
    assert.deepEqual(heard(), [resumed, fixture('transaction over, chip failed')]);
    assert.equal(reader.state().chipWaits, false);
    assert.deepEqual(reader.unexpected, []);
  });

  test('another card in the slot does not conclude for the one that was taken out', async (t) => {
    const { reader, ask, heard } = await waiting(t);
    void reader.insert(card('jcb'));
    ask(resume('8A023030'));
    assert.deepEqual(heard(), [fixture('contact card removed'), resumed, fixture('transaction over, chip failed')]);
    assert.equal(reader.state().insertedCard, 'jcb');
  });

  for (const [name, data, result] of [
    ['approved', '8A023030', '00'],
    ['declined', '8A023035', '02'],
    ['not to be asked', '8A025A33', '02'],
  ] as const) {
    test(`of a card that was held there, ${name}: its first cryptogram, for it has given no other`, async (t) => {
      const { reader, ask, heard } = await waiting(t, 'contactless');
      ask(resume(data));
      const [answer, batch = '', ...more] = heard();
      assert.equal(answer, resumed);
      assert.ok(batch.startsWith(notification('0101 20 080302')));
      const { results, clear } = transactionData(batch);
      assert.equal(results.get('DFDF1A'), result);
      assert.deepEqual([...clear], objectsOf('9F260871C43E4C200FB0AF9F270180950580000000009B020000'.replace(' ', '')));
      assert.deepEqual(more, [notification(`0105 20 ${result === '00' ? '020600' : '028000'}`)]);
      assert.equal(reader.state().chipWaits, false);
      assert.deepEqual(reader.unexpected, []);
    });
  }
});

describe('what no driver should send to a card that waits is recorded, and it goes on waiting', () => {
  for (const from of ['chip', 'contactless'] as const) {
    for (const [name, message] of [
      ['1001', start(everything)],
      ['2001', fixture('enter PIN, 60 s')],
    ] as const) {
      test(`${from}: ${name}`, async (t) => {
        const { reader, ask, heard } = await waiting(t, from);
        ask(message);
        assert.deepEqual(heard(), [response(name, '80 020308')]);
        assert.deepEqual(whysOf(reader), [`${name} while a card waited for 1004`]);
        ask(resume('8A023030'));
        assert.equal(heard().length, 3);
      });
    }
  }

  const inside = (value: string): string => `810100${object('84', object('ff74', value))}`;
  const reported = object('dfdf25', Buffer.from(serial, 'latin1').toString('hex'));
  const bad: [payload: string, why: RegExp][] = [
    ['', /without 81/],
    [`810100`, /1004 without 84/],
    [`810102${arpc('8a023030')}`, /a code that is none/],
    [`81020000${arpc('8a023030')}`, /a code that is none/],
    [`810100${arpc('8a023030')}8200`, /82 of another length/],
    [`810100${arpc('8a023030')}8300`, /1004 with 83/],
    [`810100${arpc('8a023030', 'B35E2CD080116AB')}`, /another device's serial number/],
    [`810100${arpc('8a023030')}810100`, /names a tag twice/],
    [`810100${object('84', object('fa', object('70', '8a023030')))}`, /84 of 1004 without FF74/],
    [inside(reported), /FF74 of 1004 without FA/],
    [inside(object('fa', object('70', '8a023030'))), /FF74 of 1004 without DFDF25/],
    [inside(`${reported}${object('fa', '8a023030')}`), /FA of 1004 without 70/],
    [inside(`${reported}fa067000`), /no list/],
    [`810100${arpc('')}`, /without one 8A/],
    [`810100${arpc('8a013030')}`, /no list/],
    [`810100${arpc('8a0130')}`, /without one 8A/],
    [`810100${arpc('8a0230308a023030')}`, /without one 8A/],
    [`810100${arpc('8a023030910715505533008300')}`, /91 of 7 bytes/],
    [`810100${arpc('8a0230309f0206000000003000')}`, /with 9F02/],
    [`810101${arpc('8a023030')}`, /a code that is none/],
    [`810100${arpc(`8a025a33${visa.approved.replace(' ', '')}`)}`, /nobody answered/],
  ];
  for (const [payload, why] of bad) {
    test(`1004 with '${payload}': a bad parameter`, async (t) => {
      const { reader, ask, heard } = await waiting(t);
      ask(request('1004', payload));
      assert.deepEqual(heard(), [response('1004', '81 010102')]);
      assert.match(whysOf(reader).join(), why);
      assert.equal(reader.state().chipWaits, true);
    });
  }

  test('1004 without a card', (t) => {
    const { reader, ask, heard } = ready(t);
    ask(resume('8A023030'));
    assert.deepEqual(heard(), [fixture('resume answer, no transaction')]);
    assert.deepEqual(whysOf(reader), ['1004 without a card that waits for it']);
  });

  test('1004 twice: the second has nobody to go to', async (t) => {
    const { reader, ask, heard } = await waiting(t);
    ask(resume('8A023030'));
    heard();
    ask(resume('8A023030'));
    assert.deepEqual(heard(), [fixture('resume answer, no transaction')]);
    assert.equal(reader.unexpected.length, 1);
  });

  test('1008 with data', async (t) => {
    const { reader, ask, heard } = await waiting(t);
    ask(request('1008', '810100'));
    assert.deepEqual(heard(), [response('1008', '81 010102')]);
    assert.equal(reader.state().chipWaits, true);
    ask(cancel);
    assert.equal(reader.state().chipWaits, false);
    assert.deepEqual(whysOf(reader), ['1008 takes no data']);
  });
});
