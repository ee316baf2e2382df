import { anyText } from '../../codecs/iso8583/encoding.ts';
import { field } from '../../codecs/iso8583/field.ts';
import { fixedLength, lll } from '../../codecs/iso8583/length.ts';
import type { MessageSpec } from '../../codecs/iso8583/message.ts';
import { leftZero, nibbles } from '../../codecs/iso8583/packed-digits.ts';
import type { HostFields } from './dialect.ts';

/** What identifies an answer and its money: link.ts, answer.ts. */
const matched = [3, 4, 11, 24, 39, 41, 49] as const;

/**
 * The fields that this terminal reads, by message type. A host may put anything into the others: it knows other
 * terminals, which print or show them.
 */
const used: ReadonlyMap<string, ReadonlySet<number>> = new Map([
  ['0110', new Set([...matched, 12, 13, 37, 38, 55])],
  ['0210', new Set([...matched, 12, 13, 37, 38, 55])],
  ['0230', new Set([...matched, 12, 13, 37])],
  ['0330', new Set(matched)],
  ['0410', new Set(matched)],
  // A late answer is matched by 60 and 63, too. A settlement has no amount of its own in field 4.
  ['0510', new Set([3, 11, 24, 39, 41, 49, 60, 63])],
]);
/** A message of another type answers nothing that this terminal asks. */
const nothing: ReadonlySet<number> = new Set();

/**
 * How a host's messages are read, where `spec` says how this terminal's are written. Fields 12 and 13 are only repeated to
 * the host, and 60 and 63 only compared, so that nothing in them makes an answer unreadable.
 */
export function answerSpec(spec: MessageSpec<HostFields>): MessageSpec<HostFields> {
  const fields = {
    ...spec.fields,
    12: field(nibbles(leftZero), fixedLength(6)),
    13: field(nibbles(leftZero), fixedLength(4)),
    60: field(anyText, lll(999)),
    63: field(anyText, lll(999)),
  };
  return { ...spec, fields, used: (mti) => used.get(mti) ?? nothing };
}
