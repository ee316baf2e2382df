import { MalformedMessage, type Part, partsOf } from '../../host/iso8583/message.ts';
import { anyFieldSpecs } from '../../host/iso8583/fields.ts';
import type { Decode, Field } from '../frame.ts';
import { amountText, currencyOf, field, hexOf, maskedNumber, named, secretField, unreadable } from './field.ts';
import { accounts, fieldNames, messageTypes, processingCodes, totalNames } from './iso8583-names.ts';
import { responseCodes } from './response-codes.ts';
import { entryModes } from './tags.ts';
import { objectFields } from './tlv.ts';

const lengthBytes = 2;
const messageAt = 7;
/** Card number and tracks, under any name, and the customer's accounts. */
const clearCardData: ReadonlySet<number> = new Set([2, 14, 34, 35, 36, 45, 102, 103]);

/** A frame of a card host: length, TPDU, message. */
export const decodeIso8583: Decode = (payload) => {
  if (payload.length === lengthBytes)
    return { summary: 'keep-alive', fields: [field(payload, 'length', 0, lengthBytes, { meaning: '0' })] };
  if (payload.length < messageAt) return unreadable(payload, 'a frame without a message');
  const { parts, problem } = partsAsFar(payload.subarray(messageAt));
  const values = new Map(parts.map((part) => [part.field, part.value]));
  const read = parts.map((part) => partField(payload, part, values));
  const last = parts.at(-1);
  const reached = messageAt + (last === undefined ? 0 : last.at + last.length);
  // Unreadable bytes may contain card data: none of them is shown.
  const rest =
    reached < payload.length
      ? [
          secretField(
            'rest',
            reached,
            payload.length - reached,
            `${payload.length - reached} bytes`,
            problem ?? 'not read',
          ),
        ]
      : [];
  const fields = [
    field(payload, 'length', 0, lengthBytes, { meaning: `${payload.readUInt16BE(0)} bytes` }),
    field(payload, 'TPDU', lengthBytes, 5, { meaning: tpduText(payload) }),
    ...read,
    ...rest,
  ];
  return {
    summary: problem === undefined ? summaryOf(values) : problem,
    fields,
    ...(problem !== undefined && { problem }),
  };
};

function partsAsFar(message: Buffer): { readonly parts: readonly Part[]; readonly problem?: string } {
  const parts: Part[] = [];
  try {
    for (const part of partsOf(message, { answers: true })) parts.push(part);
    return { parts };
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    return { parts, problem: error.message };
  }
}

function tpduText(payload: Buffer): string {
  return `to ${hexOf(payload.subarray(3, 5))} from ${hexOf(payload.subarray(5, 7))}`;
}

function partField(payload: Buffer, part: Part, values: ReadonlyMap<number, string>): Field {
  const { field: number, value, length } = part;
  const at = messageAt + part.at;
  if (number === 0) return field(payload, 'MTI', at, length, { value, meaning: named(messageTypes, value) });
  if (number === 1) return field(payload, 'bitmap', at, length, { value, meaning: bitsOf(value) });
  const name = `${number} ${fieldNames[number] ?? ''}`.trim();
  if (clearCardData.has(number)) {
    const [pan = ''] = value.split('D');
    return secretField(
      name,
      at,
      length,
      number === 2 || number === 35 ? maskedNumber(pan) : '••••',
      'card data in the clear',
    );
  }
  const valueAt = at + prefixBytes(number);
  if (number === 48 || number === 55) {
    const { fields, end } = objectFields(payload, valueAt, at + length);
    if (end === at + length) return field(payload, name, at, length, { value: `${length - 2} bytes`, fields });
    return secretField(name, at, length, `${length - 2} bytes`, 'no list of data objects');
  }
  if (number === 63) return totalsField(payload, name, at, length, valueAt, value);
  return field(payload, name, at, length, { value, meaning: meaningOf(number, value, values) });
}

function prefixBytes(number: number): number {
  const { prefix } = anyFieldSpecs.get(number) ?? {};
  return prefix === undefined ? 0 : prefix === 'LL' ? 1 : 2;
}

/** 6 times a count and an amount of twelve digits: fixtures/README.md, "Settlement". */
function totalsField(payload: Buffer, name: string, at: number, length: number, valueAt: number, value: string): Field {
  const countDigits = value.length === 108 ? 6 : 3;
  const each = countDigits + 12;
  if (value.length !== each * totalNames.length) return field(payload, name, at, length, { value });
  const fields = totalNames.map((title, index) => {
    const text = value.slice(index * each, (index + 1) * each);
    const [count, amount] = [Number(text.slice(0, countDigits)), text.slice(countDigits)];
    return field(payload, title, valueAt + index * each, each, {
      value: text,
      meaning: `${count}, together ${amountText(amount, undefined)}`,
    });
  });
  return field(payload, name, at, length, { value: '', fields });
}

function bitsOf(bitmap: string): string {
  const bits = Array.from(bitmap, (digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
  return Array.from(bits, (bit, at) => (bit === '1' ? String(at + 1) : ''))
    .filter(Boolean)
    .join(' ');
}

function meaningOf(number: number, value: string, values: ReadonlyMap<number, string>): string | undefined {
  switch (number) {
    case 3:
      return processingText(value);
    case 4:
    case 54:
      return amountText(value, currencyOf(values.get(49) ?? ''));
    case 12:
      return `${value.slice(0, 2)}:${value.slice(2, 4)}:${value.slice(4)}`;
    case 13:
      return `${value.slice(2)}.${value.slice(0, 2)}.`;
    case 22:
      return named(entryModes, value.slice(0, 2));
    case 39:
      return named(responseCodes, value);
    case 49:
      return currencyOf(value);
    case 52:
      return 'encrypted by the PIN pad';
    default:
      return undefined;
  }
}

function processingText(value: string): string | undefined {
  const kind = named(processingCodes, value.slice(0, 2));
  const account = named(accounts, value.slice(2, 4));
  return account === undefined ? kind : `${kind}, ${account}`;
}

/** '0400 reversal · HKD 30.00 · STAN 000123 · 00 approved'. */
function summaryOf(values: ReadonlyMap<number, string>): string {
  const [mti = '', amount, stan, code, processing = ''] = [0, 4, 11, 39, 3].map((number) => values.get(number));
  const title = named(messageTypes, mti) ?? 'unknown message';
  const kind = mti.startsWith('05') || mti.startsWith('08') ? undefined : processingText(processing);
  return [
    `${mti} ${title}`,
    kind,
    amount === undefined ? '' : amountText(amount, currencyOf(values.get(49) ?? '')),
    stan === undefined ? '' : `STAN ${stan}`,
    code === undefined ? '' : `${code} ${named(responseCodes, code) ?? ''}`.trim(),
  ]
    .filter(Boolean)
    .join(' · ');
}
