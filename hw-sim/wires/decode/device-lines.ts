import type { Decode } from '../frame.ts';
import { field, hexOf, named, secretField, unreadable } from './field.ts';
import { jsonFields } from './json.ts';

/** Codes of the operator's library, as in public integrations (PROTOCOLS, Octopus). */
const octopusCodes: Readonly<Record<string, string>> = {
  '0': 'done',
  '100001': 'reader not connected',
  '100016': 'read error',
  '100020': 'no card',
  '100021': 'card refused',
  '100022': 'incomplete: the same card again',
  '100025': 'still incomplete',
  '100048': 'insufficient value',
  '101005': 'another card',
};

const triggers: Readonly<Record<string, string>> = { '16540D': 'start', '16550D': 'stop' };
const shownDigits = 4;

/** A request to the agent of the Octopus reader, or its answer: a line of JSON. */
export const decodeAgentLine: Decode = (payload, direction) => {
  const end = payload.at(-1) === 0x0a ? payload.length - 1 : payload.length;
  const fields = jsonFields(payload, 0, end, () => false)?.map((each) => {
    const meaning = each.name === 'code' ? named(octopusCodes, each.value) : unitsText(each.name, each.value);
    return meaning === undefined ? each : { ...each, meaning };
  });
  if (fields === undefined) return unreadable(payload, 'a line that is no JSON');
  const part = (name: string) => fields.find((each) => each.name === name);
  const code = part('code');
  const what = direction === 'fromTerminal' ? part('call')?.value : `${code?.value} ${code?.meaning ?? ''}`.trim();
  const amount = part('amount') ?? part('balance');
  const summary = [
    what ?? 'a line',
    amount && `${amount.name} ${amount.meaning}`,
    part('cardId')?.value && `card ${part('cardId')?.value}`,
  ];
  return { summary: summary.filter(Boolean).join(' · '), fields };
};

/** Amounts of the library are in units of ten HKD cents. */
function unitsText(name: string, value: string): string | undefined {
  if ((name !== 'amount' && name !== 'balance') || !/^-?\d+$/.test(value)) return undefined;
  return `HKD ${(Number(value) / 10).toFixed(2)}`;
}

/** A trigger of the terminal, or a code that the scanner read. */
export const decodeScannerLine: Decode = (payload, direction) => {
  if (direction === 'fromTerminal') {
    const meaning = named(triggers, hexOf(payload));
    if (meaning === undefined) return unreadable(payload, 'bytes that neither start nor stop the scanner');
    return { summary: `${meaning} scanning`, fields: [field(payload, 'trigger', 0, payload.length, { meaning })] };
  }
  const text = payload.toString('latin1').replace(/[\r\n]+$/, '');
  const hidden = Math.max(0, text.length - shownDigits);
  const fields = [
    secretField('code', 0, hidden, `••••${text.slice(hidden)}`, 'payment code'),
    field(payload, 'last characters', hidden, text.length - hidden, {
      value: text.slice(hidden).replaceAll(/[^ -~]/g, '.'),
    }),
    ...(text.length < payload.length ? [field(payload, 'end of line', text.length, payload.length - text.length)] : []),
  ];
  return { summary: `a code of ${text.length} characters`, fields: hidden === 0 ? fields.slice(1) : fields };
};
