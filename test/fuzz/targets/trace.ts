import assert from 'node:assert/strict';
import { encodeFrame } from '../../../src/codecs/iso8583/frame.ts';
import { compileDialect, dialects } from '../../../src/hosts/iso8583/dialect.ts';
import { dialectFileSchema } from '../../../src/hosts/iso8583/dialects/check.ts';
import { MessageMask } from '../../../src/hosts/iso8583/message-mask.ts';
import { binaryTokens, fixture, hex, type Json } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';

const known: Json[] = [...fixture('messages/iso8583'), ...fixture('messages/terminal')];
/** The length and the TPDU precede a message. */
const messages = known.map((each) => hex(each.hex).subarray(7));
const all = [...Object.values(dialects), compileDialect(dialectFileSchema.parse(fixture('dialects/second-bank')))];
const masks = all.map((dialect) => ({ mask: new MessageMask(dialect), framing: dialect.framing }));

/** Whatever a host has sent, the message that a trace records has no card number, and recording does not fail. */
export const traceMessages: Target = {
  name: 'trace-messages',
  share: 4,
  inputs: hostile({ seeds: messages, tokens: binaryTokens }),
  check(input) {
    // Each dialect reads a message differently: one of them for each input.
    const { mask, framing } = masks[input.reduce((sum, byte) => sum + byte, 0) % masks.length] ?? assert.fail();
    const tpdu = framing.hasTpdu ? hex('6000030000') : new Uint8Array();
    const recorded = [mask.ofReceived(input), mask.ofSent(input)];
    if (input.length > 0 && input.length < 2_000)
      recorded.push(mask.ofSent(encodeFrame({ tpdu, message: input }, framing)));
    for (const message of recorded) {
      assertSilent(JSON.stringify(message));
      for (const { field, value } of message.parts)
        assert.ok(value === undefined || ![2, 14, 35, 36, 45, 52, 53, 64].includes(field), `field ${field} is shown`);
    }
  },
};
