import assert from 'node:assert/strict';
import * as answers from '../../../src/hosts/iso8583/answer.ts';
import { dialects, type HostMessage } from '../../../src/hosts/iso8583/dialect.ts';
import { FrameDecoder } from '../../../src/codecs/iso8583/frame.ts';
import { Iso8583Error } from '../../../src/codecs/iso8583/iso8583-error.ts';
import { type FieldTable, type MessageSpec, pack, unpack } from '../../../src/codecs/iso8583/message.ts';
import { terminal1987 } from '../../../src/codecs/iso8583/fields-1987.ts';
import { binaryTokens, fixture, hex, type Json } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Documented, type Target, valueOrDocumented } from '../target.ts';
import { pieces } from './neo2.ts';

const known: Json[] = [...fixture('messages/iso8583'), ...fixture('messages/terminal')];
const frames: Uint8Array[] = known.map((each) => hex(each.hex));
/** Length and TPDU stand before a message. */
const messages = frames.map((frame) => frame.subarray(7));
const fault: Documented = { type: Iso8583Error, words: /^ISO 8583 [a-z-]+, field \d{1,3}, byte \d+$/ };
const tokens = [...binaryTokens, ...['0210', '0110', '0999', 'FFFFFFFFFFFFFFFF', '3030', '393939'].map(hex)];

export const isoFrames: Target = {
  name: 'iso8583-frames',
  share: 3,
  inputs: hostile({ seeds: frames, tokens }),
  check(input) {
    const whole = read([input]);
    assert.deepEqual(read(pieces(input, 5)), whole, 'split otherwise, read otherwise');
    if (whole.fault) valueOrDocumented(fault, () => assert.fail(whole.fault));
  },
};

function read(chunks: readonly Uint8Array[]): { frames: string[]; fault: Iso8583Error | undefined } {
  const decoder = new FrameDecoder();
  const found: string[] = [];
  let broken: Iso8583Error | undefined;
  for (const chunk of chunks) {
    const { frames: whole, fault: faulty } = decoder.push(chunk);
    for (const { tpdu, message } of whole) found.push(Buffer.concat([tpdu, message]).toString('hex'));
    broken ??= faulty;
  }
  return { frames: found, fault: broken };
}

export const isoMessages: Target = {
  name: 'iso8583-messages',
  share: 8,
  inputs: hostile({ seeds: messages, tokens }),
  check(input) {
    roundTrip(terminal1987, input);
    roundTrip(dialects.EDC.spec, input);
  },
};

function roundTrip(spec: MessageSpec<FieldTable>, input: Uint8Array): void {
  const message = valueOrDocumented(fault, () => unpack(spec, input));
  if (!message) return;
  const written = pack(spec, message);
  assert.deepEqual(unpack(spec, written), message, 'written, and read otherwise');
  // A second bitmap without a field in it is read, and not written.
  if (!hasEmptySecondary(input))
    assert.deepEqual(Buffer.from(written), Buffer.from(input), 'read, and written otherwise');
}

function hasEmptySecondary(input: Uint8Array): boolean {
  return ((input[2] ?? 0) & 0x80) !== 0 && input.subarray(10, 18).every((byte) => byte === 0);
}

const known0200 = unpack(dialects.EDC.spec, messages[known.findIndex(({ name }) => name === 'sale')] ?? assert.fail());
const sale: HostMessage = { ...known0200, fields: { ...known0200.fields, 49: '344' } };

/** As the terminal reads a host's message: what it does not use may hold anything. */
const hostSpec = dialects.EDC.answerSpec;

export const isoAnswers: Target = {
  name: 'iso8583-answers',
  share: 8,
  inputs: hostile({ seeds: messages, tokens }),
  check(input) {
    const answer = valueOrDocumented(fault, () => unpack(hostSpec, input));
    if (!answer) return;
    for (const dialect of Object.values(dialects)) assertFailSafe(dialect, answer);
  },
};

function assertFailSafe(dialect: (typeof dialects)[keyof typeof dialects], answer: HostMessage): void {
  const answered = { request: sale, answer };
  const { 4: amount, 39: code = '', 49: currency = '' } = answer.fields;
  const outcome = answers.hostOutcome(dialect, 'sale', answered);
  if (outcome.kind === 'approved') {
    assert.ok(dialect.codes.approved.includes(code), 'approved by no approval');
    assert.equal(amount, sale.fields[4], 'approved for another amount');
    assert.ok(['', '344', 'HKD'].includes(currency.trim()), 'approved in another currency');
    assert.notEqual(outcome.approvalCode, '');
  } else if (outcome.kind === 'declined') assertSilent(outcome.responseCode);
  const advised = answers.adviceOutcome(dialect, answered, false);
  if (advised.kind === 'acknowledged') assert.ok(dialect.codes.approved.includes(code), 'posted by a no');
  answers.adviceOutcome(dialect, answered, true);
  const reversed = answers.reversalOutcome(dialect, answered);
  if (reversed.kind === 'acknowledged') assert.ok(dialect.codes.reversed.includes(code), 'reversed by a no');
  if (reversed.kind === 'noRecord') assert.ok(dialect.codes.noRecord.includes(code), 'no record by another code');
  answers.settlementOutcome(dialect, answered);
  answers.uploadOutcome(dialect, answered);
}
