import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection } from '../../../../drivers/card-reader/neo2/connection.ts';
import { pinOutcome } from '../../../../drivers/card-reader/neo2/pin-pad.ts';
import { cardCompletion } from '../../../../drivers/card-reader/neo2/contact.ts';
import type { CardCompletion, CardDecision } from '../../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../../src/base/ports/device.ts';
import type { PinOutcome } from '../../../../src/base/ports/pin-pad.ts';
import { armed, cancelled, handshake, pending, rejects, request, type Stage } from './stage.ts';
import { answer, bytes, chipData, stripeData, visaData } from './card-answer.ts';
import { named } from './fixture-frames.ts';
import { settled } from '../../../support/manual-clock.ts';

const every = ['contactless', 'chip', 'magstripe'] as const;
const approved: CardDecision = { kind: 'approved', responseCode: '00', issuerData: new Map() };
const declined: CardDecision = { kind: 'declined', responseCode: '05', issuerData: new Map() };
const unreachable: CardDecision = { kind: 'unreachable' };

const chip = named('chip that waits for its decision');
const interim = named('contact command, first answer');
const agreed = named('apply host response answer, approved with a certificate');
const refused = named('apply host response answer, declined');
const gone = named('apply host response answer, card gone');

const word = {
  cryptogram: '9F26 08 089D0E2A1C5B3F44',
  tc: '9F27 01 40',
  aac: '9F27 01 00',
  arqc: '9F27 01 80',
} as const;
const tail = '95 05 0000008000 9B 02 E800';
const said = (hex: string, decision: CardDecision = approved, status = 0x00, acknowledged = true) =>
  cardCompletion({ status, data: bytes(hex), acknowledged }, decision);

/** A card in the slot waits for its decision. */
async function waiting(): Promise<Stage> {
  const made = await armed(every);
  made.transport.receive(chip);
  const outcome = await made.outcome;
  assert.ok(outcome.kind === 'card' && outcome.card.awaitsDecision);
  made.transport.sent.length = 0;
  return made;
}

/** And has been told: `completion` is what complete() comes to. */
async function decided(decision = approved): Promise<Stage & { completion: Promise<CardCompletion> }> {
  const made = await waiting();
  const completion = made.reader.complete(decision);
  completion.catch(() => {});
  await settled();
  assert.deepEqual(made.transport.sent, ['60-12']);
  return { ...made, completion };
}

test('the fixtures: a certificate is agreed, a decline is refused', () => {
  const found = cardCompletion({ status: 0x00, data: agreed.slice(14, -2), acknowledged: true }, approved);
  assert.ok(found.kind === 'agreed');
  const emv = Object.fromEntries([...found.emv].map(([tag, value]) => [tag, Buffer.from(value).toString('hex')]));
  assert.deepEqual(emv, { '9F26': '9d0e2a1c5b3f4477', '9F27': '40', '95': '0000008000', '9B': 'e800' });
  for (const decision of [approved, declined, unreachable]) {
    const data = refused.slice(14, -2);
    const no = cardCompletion({ status: 0x00, data, acknowledged: true }, decision);
    assert.deepEqual([no.kind, no.kind === 'refused' && no.emv.size], ['refused', 4]);
  }
});

test('only what an issuer approved, the reader approved and the card certified is agreed', () => {
  const results = ['0000', '0001', '0002', '0003', '0004', '0007', '0102', '0200'];
  const cryptograms = [word.tc, word.aac, word.arqc, '9F27 01 C0', ''];
  const agreements: string[] = [];
  for (const decision of [approved, declined, unreachable]) {
    for (const result of results) {
      for (const information of cryptograms) {
        for (const cryptogram of [word.cryptogram, '']) {
          try {
            const found = said(result + cryptogram + information + tail, decision);
            if (found.kind === 'agreed') agreements.push(`${decision.kind} ${result} ${information}`);
          } catch (error) {
            assert.ok(error instanceof DeviceError && error.code === 'protocol', String(error));
          }
        }
      }
    }
  }
  assert.deepEqual(agreements, [`approved 0002 ${word.tc}`]);
});

test('a reader that approves without a certificate: refused', () => {
  assert.equal(said(`0002 ${word.cryptogram} ${word.aac} ${tail}`).kind, 'refused');
  assert.equal(said(`0003 ${word.cryptogram} ${word.tc} ${tail}`).kind, 'refused');
});

test('statuses: gone is lost, all others say nothing of the card', () => {
  for (const acknowledged of [true, false]) {
    assert.deepEqual(said('', approved, 0x0a, acknowledged), { kind: 'lost' });
  }
  for (const status of [0x01, 0x04, 0x05, 0x08, 0x0b, 0x23, 0x63]) {
    const data = `0002 ${word.cryptogram} ${word.tc} ${tail}`;
    assert.throws(() => said(data, approved, status), { code: 'refused' }, `status ${status}`);
  }
});

test('a last word that is not whole, or comes without its first, is none', () => {
  const whole = bytes(`0002 ${word.cryptogram} ${word.tc}`);
  for (let length = 0; length < whole.length; length++) {
    const cut = Buffer.from(whole.subarray(0, length)).toString('hex');
    assert.throws(() => said(cut), { code: 'protocol' }, `length ${length}`);
  }
  const good = `0002 ${word.cryptogram} ${word.tc} ${tail}`;
  assert.equal(said(good).kind, 'agreed');
  assert.throws(() => said(good, approved, 0x00, false), { code: 'protocol' });
  assert.throws(() => said(`${good} 9F26 08 0000000000000000`), { code: 'protocol' });
  assert.throws(() => said(`${good} 5A 08 4761739001010119`), { code: 'protocol' });
  assert.throws(() => said(`0002 ${word.cryptogram} ${word.tc} 95 04 00000080`), { code: 'protocol' });
});

test('a card that agrees', async () => {
  const issuerData = new Map([
    ['91', bytes('1122334455667788 3030')],
    ['71', bytes('9F180400000001 86068418000001AA')],
    ['72', bytes('9F180400000002 8606841E000001BB')],
  ]);
  const { transport, clock, completion, states } = await decided({ kind: 'approved', responseCode: '00', issuerData });
  assert.deepEqual(transport.frames.at(-1), named('apply host response, approved, with scripts'));
  transport.receive(interim);
  assert.ok(await pending(completion));
  transport.receive(agreed);
  assert.equal((await completion).kind, 'agreed');
  assert.deepEqual(transport.sent, ['60-12'], 'nothing after the last word');
  await clock.advance(30_000);
  assert.deepEqual([transport.sent, states], [['60-12', '18-01'], []], 'the heartbeat goes on');
  assert.equal(clock.pending, 1);
});

test('both answers at once, and in pieces', async () => {
  const atOnce = await decided();
  atOnce.transport.receive(Buffer.concat([interim, agreed]));
  assert.equal((await atOnce.completion).kind, 'agreed');
  const pieces = await decided(declined);
  for (const byte of [...interim, ...refused]) pieces.transport.receive(Uint8Array.of(byte));
  assert.equal((await pieces.completion).kind, 'refused');
});

test('nothing but the decision is sent while a card waits', async () => {
  const { transport, clock, reader } = await waiting();
  await clock.advance(290_000);
  assert.deepEqual(transport.sent, []);
  const completion = reader.complete(unreachable);
  await settled();
  assert.deepEqual(transport.sent, ['60-12']);
  assert.deepEqual(transport.frames.at(-1), named('apply host response, host unreachable'));
  transport.receive(interim);
  transport.receive(refused);
  assert.equal((await completion).kind, 'refused');
});

/** The pad takes digits while the card waits. */
async function entering(): Promise<Stage & { pin: Promise<PinOutcome>; abort: AbortController }> {
  const made = await waiting();
  const abort = new AbortController();
  const pin = made.reader.pinPad.enterPin({ amount: request.amount, timeoutMs: 60_000, again: false }, abort.signal);
  pin.catch(() => {});
  await settled();
  assert.deepEqual(made.transport.sent, ['62-01']);
  made.transport.receive(named('enter PIN, first answer'));
  assert.ok(await pending(pin));
  return { ...made, pin, abort };
}

async function assertAgrees({ transport, reader }: Stage): Promise<void> {
  const completion = reader.complete(approved);
  await settled();
  assert.equal(transport.sent.at(-1), '60-12');
  transport.receive(interim);
  transport.receive(agreed);
  assert.equal((await completion).kind, 'agreed');
}

test('a PIN for the card that waits: twice, and it waits on for its decision', async () => {
  const made = await entering();
  made.transport.receive(named('enter PIN answer, PIN'));
  assert.equal((await made.pin).kind, 'pin');
  await made.clock.advance(30_000);
  assert.deepEqual(made.transport.sent, ['62-01'], 'no heartbeat');
  const again = made.reader.pinPad.enterPin(
    { amount: request.amount, timeoutMs: 60_000, again: true },
    new AbortController().signal,
  );
  await settled();
  assert.deepEqual(made.transport.frames.at(-1), named('enter PIN, 60 s, the last one was wrong'));
  made.transport.receive(named('enter PIN, first answer'));
  made.transport.receive(named('enter PIN answer, PIN'));
  assert.equal((await again).kind, 'pin');
  await assertAgrees(made);
});

test('no PIN: by its key, in time, by the signal; the card still waits', async () => {
  for (const [name, kind] of [
    ['enter PIN answer, cancel key', 'cancelled'],
    ['enter PIN answer, time-out', 'timeout'],
    ['enter PIN answer, card taken out', 'cancelled'],
  ] as const) {
    const made = await entering();
    made.transport.receive(named(name));
    assert.deepEqual(await made.pin, { kind });
    assert.deepEqual(made.transport.sent, ['62-01']);
    await assertAgrees(made);
  }
  const aborted = await entering();
  aborted.abort.abort();
  await settled();
  assert.deepEqual(aborted.transport.sent, ['62-01', '62-00']);
  aborted.transport.receive(named('enter PIN answer, cancelled by command'));
  assert.deepEqual(await aborted.pin, { kind: 'cancelled' });
  await assertAgrees(aborted);
});

test('a PIN that crosses its withdrawal is dropped, and no ping goes to a reader with a card in it', async () => {
  const made = await entering();
  made.abort.abort();
  made.transport.receive(named('enter PIN answer, PIN'));
  assert.deepEqual(await made.pin, { kind: 'cancelled' });
  // It may answer the 62-00 all the same.
  made.transport.receive(named('enter PIN answer, cancelled by command'));
  assert.deepEqual(made.transport.sent, ['62-01', '62-00']);
  await assertAgrees(made);
});

test('a pad that says nothing is stopped, and the card is asked for no less', async () => {
  const made = await entering();
  made.transport.answers.set('62-00', named('enter PIN answer, cancelled by command'));
  await made.clock.advance(63_000);
  await rejects(made.pin, 'timeout');
  assert.deepEqual(made.transport.sent, ['62-01', '62-00']);
  await assertAgrees(made);
});

test('a failed 62-01 without a card inside is no customer who took it', () => {
  assert.throws(() => pinOutcome({ status: 0x0a, data: new Uint8Array(), acknowledged: true }), { code: 'refused' });
  assert.throws(() => pinOutcome({ status: 0x0a, data: new Uint8Array(), acknowledged: false }, true), {
    code: 'refused',
  });
});

test('quick chip: no card waits, and nothing more is said to it', async () => {
  const { transport, clock, reader, outcome } = await armed(every, { quickChip: true });
  transport.receive(chip);
  const found = await outcome;
  assert.ok(found.kind === 'card');
  assert.deepEqual([found.card.entryMode, found.card.awaitsDecision], ['CHIP', undefined]);
  for (const decision of [approved, declined, unreachable]) {
    assert.deepEqual(await reader.complete(decision), { kind: 'lost' });
  }
  assert.deepEqual(transport.sent, ['02-40']);
  await clock.advance(30_000);
  assert.deepEqual(transport.sent, ['02-40', '18-01'], 'the heartbeat goes on');
});

test('DF52 is no word of a contact chip', async () => {
  const made = await armed(every);
  made.transport.receive(answer(0x02, 0x23, visaData({ attribution: 'C0' }, 'DF52 01 00 9F34 03 440302')));
  const outcome = await made.outcome;
  assert.ok(outcome.kind === 'card');
  assert.equal(outcome.card.emv.has('DF52'), false);
  assert.equal(outcome.card.emv.has('9F34'), true);
});

test('a heartbeat that has the line when the card comes leaves none behind', async () => {
  const { transport, clock, reader } = await waiting();
  const completion = reader.complete(unreachable);
  await settled();
  transport.receive(interim);
  transport.receive(refused);
  await completion;
  const ping = named('ping answer');
  transport.answers.delete('18-01');
  await clock.advance(30_000);
  const outcome = reader.collect({ ...request, interfaces: ['chip'] }, new AbortController().signal);
  transport.receive(ping);
  await settled();
  transport.receive(chip);
  assert.equal((await outcome).kind, 'card');
  transport.sent.length = 0;
  await clock.advance(120_000);
  assert.deepEqual(transport.sent, []);
});

test('a decision is taken once, and only by a card that waits', async () => {
  const { transport, reader, completion } = await decided();
  assert.deepEqual(await reader.complete(approved), { kind: 'lost' });
  transport.receive(interim);
  transport.receive(agreed);
  assert.equal((await completion).kind, 'agreed');
  assert.deepEqual(await reader.complete(approved), { kind: 'lost' });
  for (const data of [visaData(), stripeData()]) {
    const next = reader.collect({ ...request, interfaces: every }, new AbortController().signal);
    await settled();
    transport.receive(answer(0x02, 0x00, data));
    assert.equal((await next).kind, 'card');
    assert.deepEqual(await reader.complete(approved), { kind: 'lost' });
  }
  assert.deepEqual(transport.sent, ['60-12', '02-40', '02-40']);
});

test('a decision that can not be sent leaves the card waiting', async () => {
  const { transport, reader } = await waiting();
  await assert.rejects(reader.complete({ ...approved, responseCode: '?' }), RangeError);
  assert.deepEqual(transport.sent, []);
  const completion = reader.complete(approved);
  await settled();
  transport.receive(interim);
  transport.receive(agreed);
  assert.equal((await completion).kind, 'agreed');
});

test('a card that is taken out: lost, before and after the first answer', async () => {
  const early = await decided();
  early.transport.receive(gone);
  assert.deepEqual(await early.completion, { kind: 'lost' });
  const late = await decided();
  late.transport.receive(interim);
  late.transport.receive(gone);
  assert.deepEqual(await late.completion, { kind: 'lost' });
  assert.deepEqual(late.transport.sent, ['60-12']);
});

test('no first answer, no last word: let go at the deadline, and lost', async () => {
  const first = await decided();
  await first.clock.advance(1_999);
  assert.deepEqual(first.transport.sent, ['60-12']);
  await first.clock.advance(1);
  assert.deepEqual(await first.completion, { kind: 'lost' });
  assert.deepEqual(first.transport.sent, ['60-12', '05-01']);
  const second = await decided();
  await second.clock.advance(1_999);
  second.transport.receive(interim);
  await second.clock.advance(9_999);
  assert.ok(await pending(second.completion));
  await second.clock.advance(1);
  assert.deepEqual(await second.completion, { kind: 'lost' });
  assert.deepEqual(second.transport.sent, ['60-12', '05-01']);
  assert.equal(second.reader.state, 'ready');
});

test('what can not be understood is never agreed, and the card is let go', async () => {
  const damaged = Uint8Array.from(agreed);
  damaged[20] = (damaged[20] ?? 0) ^ 0x01;
  const cases: [name: string, answers: Uint8Array[], code: 'protocol' | 'refused'][] = [
    ['a wrong CRC', [interim, damaged], 'protocol'],
    ['no first answer', [agreed], 'protocol'],
    ['two first answers', [interim, interim], 'refused'],
    ['a first answer with data', [answer(0x60, 0x63, Uint8Array.of(0))], 'refused'],
    ['no result', [interim, answer(0x60, 0x00)], 'protocol'],
    ['the command was damaged', [answer(0x60, 0x04)], 'refused'],
    ['a command that is not allowed', [answer(0x60, 0x0b)], 'refused'],
  ];
  for (const [name, answers, code] of cases) {
    const { transport, reader, completion } = await decided();
    for (const one of answers) transport.receive(one);
    await rejects(completion, code);
    assert.deepEqual(transport.sent, ['60-12', '05-01'], name);
    assert.equal(reader.state, 'ready', name);
  }
});

test('it vanishes with a card in it: before, during and after the decision', async () => {
  const before = await waiting();
  before.transport.become('absent');
  assert.deepEqual(await before.reader.complete(approved), { kind: 'lost' });
  before.transport.become('ready');
  await settled();
  assert.deepEqual(before.transport.sent, handshake);
  assert.deepEqual(await before.reader.complete(approved), { kind: 'lost' });
  await before.clock.advance(30_000);
  assert.deepEqual(before.transport.sent, [...handshake, '18-01']);

  const during = await decided();
  during.transport.receive(interim);
  during.transport.become('absent');
  await rejects(during.completion, 'vanished');

  const atOnce = await armed(every);
  atOnce.transport.receive(chip);
  atOnce.transport.become('absent');
  atOnce.transport.become('ready');
  await rejects(atOnce.outcome, 'vanished');
  assert.deepEqual(await atOnce.reader.complete(approved), { kind: 'lost' });
});

test('a card that nobody decides on is let go by the next collect', async () => {
  const { transport, reader } = await waiting();
  transport.answers.delete('05-01');
  const outcome = reader.collect(request, new AbortController().signal);
  const late = reader.complete(approved);
  assert.deepEqual(await late, { kind: 'lost' });
  await settled();
  assert.deepEqual(transport.sent, ['05-01']);
  transport.receive(cancelled);
  await settled();
  assert.deepEqual(transport.sent, ['05-01', '02-40']);
  transport.receive(answer(0x02, 0x00, visaData()));
  assert.equal((await outcome).kind, 'card');
});

test('aborted while the card of before is let go: not armed', async () => {
  const { transport, reader } = await waiting();
  transport.answers.delete('05-01');
  const abort = new AbortController();
  const outcome = reader.collect(request, abort.signal);
  await settled();
  abort.abort();
  transport.receive(cancelled);
  assert.deepEqual(await outcome, { kind: 'cancelled' });
  assert.deepEqual(transport.sent, ['05-01']);
});

test('a collect that does not begin leaves the card waiting', async () => {
  const { transport, reader } = await waiting();
  assert.deepEqual(await reader.collect(request, AbortSignal.abort()), { kind: 'cancelled' });
  const completion = reader.complete(approved);
  await settled();
  assert.deepEqual(transport.sent, ['60-12']);
  transport.receive(interim);
  transport.receive(agreed);
  assert.equal((await completion).kind, 'agreed');
});

test('collect waits for a decision that is under way', async () => {
  const { transport, reader, completion } = await decided();
  const outcome = reader.collect(request, new AbortController().signal);
  await settled();
  assert.deepEqual(transport.sent, ['60-12']);
  transport.receive(interim);
  transport.receive(agreed);
  assert.equal((await completion).kind, 'agreed');
  await settled();
  assert.deepEqual(transport.sent, ['60-12', '02-40']);
  transport.receive(answer(0x02, 0x00, visaData()));
  assert.equal((await outcome).kind, 'card');
});

test('close lets the card go first', async () => {
  const { transport, clock, reader } = await waiting();
  transport.answers.delete('05-01');
  const closing = reader.close();
  await settled();
  assert.deepEqual([transport.sent, transport.closed], [['05-01'], false]);
  transport.receive(cancelled);
  await closing;
  assert.deepEqual([reader.state, transport.closed, transport.listeners, clock.pending], ['absent', true, 0, 0]);
  assert.deepEqual(await reader.complete(approved), { kind: 'lost' });
});

test('a card that is forgotten is let go in the end', async () => {
  const { transport, clock, reader } = await waiting();
  await clock.advance(299_999);
  assert.deepEqual(transport.sent, []);
  await clock.advance(1);
  assert.deepEqual(transport.sent, ['05-01']);
  assert.deepEqual(await reader.complete(approved), { kind: 'lost' });
  await clock.advance(30_000);
  assert.deepEqual(transport.sent, ['05-01', '18-01']);
});

test('a chip that is not handed out is let go at once', async () => {
  const cases: [name: string, status: number, data: Uint8Array][] = [
    ['of another amount', 0x23, chipData({ amount: '9F02 06 000000003001' })],
    ['in the clear', 0x23, chipData({ pan: '5A 08 4761739001010119' })],
    ['declined', 0x00, chipData({ information: '9F27 01 00' })],
  ];
  for (const [name, status, data] of cases) {
    const { transport, outcome } = await armed(every);
    transport.receive(answer(0x02, status, data));
    await outcome.catch(() => {});
    await settled();
    assert.deepEqual(transport.sent, ['02-40', '05-01'], name);
  }
  const { transport, outcome } = await armed(every);
  transport.receive(named('use the stripe'));
  assert.deepEqual(await outcome, { kind: 'tryAgain', reason: 'use-magstripe' });
  assert.deepEqual(transport.sent, ['02-40'], 'a failure has nobody waiting');
});

test('a chip that crosses with the cancellation is let go by it', async () => {
  const before = await armed(every);
  before.transport.answers.delete('05-01');
  before.abort.abort();
  await settled();
  before.transport.receive(chip);
  assert.ok(await pending(before.outcome));
  before.transport.receive(cancelled);
  assert.deepEqual(await before.outcome, { kind: 'cancelled' });
  assert.deepEqual(before.transport.sent, ['02-40', '05-01']);
  assert.deepEqual(await before.reader.complete(approved), { kind: 'lost' });

  const after = await armed(every);
  after.transport.receive(chip);
  after.abort.abort();
  assert.deepEqual(await after.outcome, { kind: 'cancelled' });
  assert.deepEqual(after.transport.sent, ['02-40', '05-01']);
});

test('what was answered is wiped once it was read', async (context) => {
  const run = context.mock.method(Connection.prototype, 'run');
  const { transport, reader, completion } = await decided();
  transport.receive(Buffer.concat([interim, agreed]));
  await completion;
  const pin = reader.pinPad.enterPin(
    { amount: request.amount, timeoutMs: 1, again: false },
    new AbortController().signal,
  );
  await settled();
  transport.receive(Buffer.concat([named('enter PIN, first answer'), named('enter PIN answer, PIN')]));
  assert.equal((await pin).kind, 'pin');
  const ofCards = run.mock.calls.filter((call) => [0x02, 0x60, 0x62].includes(call.arguments[1]));
  assert.equal(ofCards.length, 3);
  for (const call of ofCards) {
    const reply = await call.result;
    assert.ok(reply?.kind === 'answer' && reply.data.length > 0);
    assert.ok(reply.data.every((byte) => byte === 0));
  }
});

test('the reader says what it has', async () => {
  const { reader } = await waiting();
  assert.deepEqual(reader.interfaces, every);
});
