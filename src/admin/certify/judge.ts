import type { TracedLine } from '../../observability/trace-request.ts';
import type { Answered } from './evidence.ts';
import type { Case } from './script.ts';

type ExpectedMessage = Case['expect']['messages'][number];

/** The results of a case. */
export interface Observed {
  readonly answer: Answered | undefined;
  readonly messages: readonly TracedLine[];
  /** The text of the customer's copy. */
  readonly receipt: string | undefined;
}

/** Why a case has failed; empty if it has passed. */
export function judge({ expect, entryMode }: Case, { answer, messages, receipt }: Observed): readonly string[] {
  const { responseResult, responseCode } = expect;
  const code = responseCodeIn(messages);
  return [
    ...differs('responseResult', responseResult, answer?.responseResult, answer?.message),
    ...(entryMode === undefined ? [] : differs('entryMode', entryMode, answer?.entryMode)),
    ...(responseCode === undefined ? [] : differs('response code', responseCode, code)),
    ...expect.messages.flatMap((each) => missing(each, messages)),
    ...expect.receipt
      .filter((text) => receipt?.includes(text) !== true)
      .map((text) => `the receipt does not have '${text}'`),
  ];
}

/** Whether all expected messages have been recorded. */
export function hasAllMessages({ expect }: Case, messages: readonly TracedLine[]): boolean {
  return expect.messages.every((each) => missing(each, messages).length === 0);
}

/** Field 39 of the answer to the case's last message that is neither a reversal nor network management. */
export function responseCodeIn(messages: readonly TracedLine[]): string | undefined {
  const at = messages.findLastIndex(({ direction, mti = '' }) => direction === 'sent' && /^.[125]/.test(mti));
  const request = messages[at];
  if (!request) return undefined;
  const answer = messages
    .slice(at + 1)
    .find(
      ({ direction, mti = '', parts }) =>
        direction === 'received' && mti[1] === request.mti?.[1] && valueIn(parts, 11) === valueIn(request.parts, 11),
    );
  return answer && valueIn(answer.parts, 39);
}

function valueIn(parts: TracedLine['parts'], field: number): string | undefined {
  return parts.find((each) => each.field === field)?.value;
}

function differs(what: string, expected: string, actual: string | undefined, why?: string): readonly string[] {
  const reason = why === undefined ? '' : `: ${why}`;
  return actual === expected ? [] : [`${what} is ${actual ?? 'missing'} instead of ${expected}${reason}`];
}

/** The differences between the expected message and the most similar recorded one of its type. */
function missing(expected: ExpectedMessage, messages: readonly TracedLine[]): readonly string[] {
  const { direction, type } = expected;
  const candidates = messages.filter((each) => each.direction === direction && each.mti === type);
  const faults = candidates.map((each) => faultsOf(expected, each)).toSorted((one, other) => one.length - other.length);
  return faults[0] ?? [`no message ${type} was ${direction}`];
}

interface Part {
  readonly value?: string | undefined;
  readonly objects?: unknown;
}

function faultsOf({ type, fields, tags }: ExpectedMessage, { parts }: TracedLine): readonly string[] {
  const byField = new Map(parts.map((each) => [String(each.field), each]));
  const objects = new Map(parts.flatMap((each) => each.objects ?? []).map((each) => [each.tag, each]));
  return [
    ...Object.entries(fields).flatMap(([field, value]) => fault(`${type}: field ${field}`, value, byField.get(field))),
    ...Object.entries(tags).flatMap(([tag, value]) => fault(`${type}: EMV ${tag}`, value, objects.get(tag))),
  ];
}

function fault(what: string, expected: string, part: Part | undefined): readonly string[] {
  if (expected === 'absent') return part ? [`${what} is present`] : [];
  if (!part) return [`${what} is missing`];
  if (expected === 'present') return [];
  if (part.value === undefined) return [`${what} is not shown: only "present" and "absent" can be expected of it`];
  // Trailing spaces have no meaning.
  return differs(what, expected.trimEnd(), part.value.trimEnd());
}
