import assert from 'node:assert/strict';
import { readCardData } from '../../../drivers/card-reader/mms/card-data.ts';
import { cardCompletion } from '../../../drivers/card-reader/mms/completion.ts';
import { decodeMessage } from '../../../drivers/card-reader/mms/message.ts';
import { readPresentedCard } from '../../../drivers/card-reader/mms/presented-card.ts';
import { MessageJoiner, messageBytesMax, splitMessage } from '../../../drivers/card-reader/mms/reports.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import type { CollectRequest } from '../../../src/base/ports/card-reader.ts';
import { binaryTokens, fixture, hex, type Json } from '../material.ts';
import { hostile } from '../mutation.ts';
import { type Target, valueOrDocumented } from '../target.ts';
import { assertMasked, deviceProtocol, reportsOf } from './neo2.ts';

const messages: Uint8Array[] = fixture('frames/mms').messages.map((each: Json) => hex(each.hex));
const reports = messages.map((message) => Buffer.concat(splitMessage(message)));
const tokens = [...binaryTokens, ...['AA00', '8104', '8204', '84', 'DFDF4D', 'DFDF59', 'DFDF52', 'DFDF53'].map(hex)];
/** What stands in 84 of a notification: card data. */
const payloads = messages.flatMap((bytes) => {
  const message = decodeMessage(bytes);
  return message?.kind === 'notification' && message.data.length > 20 ? [message.data] : [];
});

export const mmsReports: Target = {
  name: 'mms-reports',
  share: 4,
  inputs: hostile({ seeds: reports, tokens: [...tokens, ...['00', '01', '02', '03', '04'].map(hex)] }),
  check(input) {
    const joiner = new MessageJoiner();
    for (const report of reportsOf(input)) {
      const message = joiner.push(report);
      assert.ok(
        report.every((byte) => byte === 0),
        'a report is left as it came',
      );
      if (message === undefined || message === 'corrupt') continue;
      assert.ok(message.length <= messageBytesMax);
      assert.deepEqual(joined(splitMessage(message)), message);
    }
    // Whatever came before: a message of its own is read.
    joiner.push(reportsOf(hex('04'))[0] ?? assert.fail());
    assert.equal(joiner.unfinished, false);
  },
};

function joined(split: readonly Uint8Array[]): Uint8Array | 'corrupt' | undefined {
  const joiner = new MessageJoiner();
  return split.map((report) => joiner.push(report)).at(-1);
}

export const mmsMessages: Target = {
  name: 'mms-messages',
  share: 4,
  inputs: hostile({ seeds: messages, tokens }),
  check(input) {
    const message = decodeMessage(input);
    if (message?.kind === 'response' || message?.kind === 'notification') assert.match(message.detail, /^[\dA-F]{6}$/);
  },
};

const request: CollectRequest = {
  amount: { minor: 3000n, currency: 'HKD' },
  type: 'purchase',
  timeoutMs: 60_000,
  interfaces: ['contactless', 'chip', 'magstripe'],
};
const approved = { kind: 'approved', responseCode: '00', issuerData: new Map<string, Uint8Array>() } as const;

export const mmsCard: Target = {
  name: 'mms-card',
  share: 8,
  inputs: hostile({ seeds: payloads, tokens }),
  check(input) {
    const read = valueOrDocumented(deviceProtocol, () => readCardData(input));
    if (read?.maskedPan !== undefined) assertMasked(read.maskedPan);
    for (const technology of [0x08, 0x10, 0x20]) {
      for (const stage of ['asks', 'ended'] as const) {
        const came = valueOrDocumented(deviceProtocol, () => readPresentedCard(technology, stage, input, request));
        if (came?.outcome.kind === 'card') assertMasked(came.outcome.card.maskedPan);
      }
    }
    const word = valueOrDocumented(deviceProtocol, () => cardCompletion(0x10, input, approved));
    if (word?.kind !== 'agreed') return;
    // Without the host's approval the same word is none.
    assert.throws(() => cardCompletion(0x10, input, { kind: 'unreachable' }), DeviceError);
  },
};
