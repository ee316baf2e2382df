import { crc16, frameLength } from '../../reader/neo2/frame.ts';
import type { Decode, Direction, Field } from '../frame.ts';
import { amountText, currencyOf, field, hexOf, named, unreadable } from './field.ts';
import { answers, commands, issuerAnswers, pinStates, pollModes, results, statuses } from './neo2-names.ts';
import { objectFields, valuesOf } from './tlv.ts';

const tagBytes = 10;
const dataAt = 14;
const crcBytes = 2;

/** A frame of the NEO2 protocol: a command of the terminal, or an answer of the reader. */
export const decodeNeo2: Decode = (payload, direction) => {
  const length = frameLength(payload);
  if (length === undefined || length > payload.length) return unreadable(payload, 'bytes that are no NEO2 frame');
  const [first, second] = [hexOf(payload.subarray(10, 11)), hexOf(payload.subarray(11, 12))];
  const end = length - crcBytes;
  const isCommand = direction === 'fromTerminal';
  const name = isCommand ? named(commands, `${first}-${second}`) : named(answers, first);
  const data = isCommand
    ? commandData(payload, `${first}-${second}`, end)
    : answerData(payload, `${first}/${second}`, end);
  const fields: Field[] = [
    field(payload, 'header', 0, tagBytes, { value: 'ViVOtech2' }),
    field(payload, 'command', 10, 1, { meaning: name }),
    field(payload, isCommand ? 'sub-command' : 'status', 11, 1, {
      meaning: isCommand ? undefined : named(statuses, second),
    }),
    field(payload, 'data length', 12, 2, { meaning: `${end - dataAt} bytes` }),
    ...data,
    crcField(payload, end, direction),
  ];
  const what = isCommand
    ? `${first}-${second} ${name ?? 'unknown command'}`
    : `${first}/${second} ${name ?? 'answer'}: ${named(statuses, second) ?? 'unknown status'}`;
  return { summary: [what, highlight(data)].filter(Boolean).join(' · '), fields };
};

/** Commands end with the low byte first, answers with the high one (IDG p.28). */
function crcField(payload: Buffer, at: number, direction: Direction): Field {
  const statedLength = direction === 'fromTerminal' ? payload.readUInt16LE(at) : payload.readUInt16BE(at);
  return field(payload, 'CRC', at, crcBytes, {
    meaning: statedLength === crc16(payload.subarray(0, at)) ? 'correct' : 'WRONG',
  });
}

function commandData(payload: Buffer, name: string, end: number): Field[] {
  if (end === dataAt) return [];
  const one = (label: string, table: Readonly<Record<string, string>>): Field =>
    field(payload, label, dataAt, 1, { meaning: named(table, hexOf(payload.subarray(dataAt, dataAt + 1))) });
  switch (name) {
    case '01-01':
      return [one('poll mode', pollModes)];
    case '02-01':
    case '02-40':
      return [
        field(payload, 'time-out', dataAt, 1, { meaning: `${payload[dataAt] ?? 0} s` }),
        ...objectsTo(payload, dataAt + 1, end),
      ];
    case '60-06':
      return [
        field(payload, 'number of objects', dataAt, 2, { meaning: String(payload.readUInt16LE(dataAt)) }),
        ...objectsTo(payload, dataAt + 2, end),
      ];
    case '60-12':
      return [one('issuer', issuerAnswers), ...objectsTo(payload, dataAt + 1, end)];
    case '62-01':
      return pinRequest(payload, end);
    default:
      return objectsTo(payload, dataAt, end);
  }
}

/** IDG p.348; the last two fields: fixtures/README.md. */
function pinRequest(payload: Buffer, end: number): Field[] {
  const textBytes = payload[dataAt + 4] ?? 0;
  const textAt = dataAt + 5;
  if (textAt + textBytes + 2 !== end) return [field(payload, 'data', dataAt, end - dataAt)];
  return [
    field(payload, 'key', dataAt, 1),
    field(payload, 'length of an external card number', dataAt + 1, 1),
    field(payload, 'most digits', dataAt + 2, 1, { meaning: String(payload[dataAt + 2]) }),
    field(payload, 'least digits', dataAt + 3, 1, { meaning: String(payload[dataAt + 3]) }),
    field(payload, 'length of the text', dataAt + 4, 1, { meaning: String(textBytes) }),
    field(payload, 'text', textAt, textBytes, {
      value: payload.toString('latin1', textAt, textAt + textBytes).replace('\0', ' / '),
    }),
    field(payload, 'time-out', end - 2, 2, { meaning: `${payload.readUInt16BE(end - 2)} s` }),
  ];
}

/** `name`: command and status, '02/23'. */
function answerData(payload: Buffer, name: string, end: number): Field[] {
  if (end === dataAt) return [];
  switch (name) {
    case '02/00':
    case '02/23':
      return [
        field(payload, 'attribution', dataAt, 1, { meaning: attributionText(payload[dataAt] ?? 0) }),
        ...objectsTo(payload, dataAt + 1, end),
      ];
    case '29/00':
      return [field(payload, 'version', dataAt, end - dataAt, { value: payload.toString('latin1', dataAt, end) })];
    case '60/00': {
      if (end - dataAt < 2) break;
      const result = named(results, hexOf(payload.subarray(dataAt, dataAt + 2)));
      return [field(payload, 'result', dataAt, 2, { meaning: result }), ...objectsTo(payload, dataAt + 2, end)];
    }
    case '62/00':
      return pinAnswer(payload, end);
    default:
  }
  return objectsTo(payload, dataAt, end);
}

/** IDG p.350: key serial number and block as ASCII hex, 20 and 16 digits (TDES), or 24 and 32 (AES). */
function pinAnswer(payload: Buffer, end: number): Field[] {
  const state = field(payload, 'state', dataAt, 1, {
    meaning: named(pinStates, hexOf(payload.subarray(dataAt, dataAt + 1))),
  });
  const digits = end - dataAt - 1;
  const serialDigits = digits === 56 ? 24 : 20;
  if (digits !== 56 && digits !== 36) return [state, ...objectsTo(payload, dataAt + 1, end)];
  const [serialAt, blockAt] = [dataAt + 1, dataAt + 1 + serialDigits];
  return [
    state,
    field(payload, 'key serial number', serialAt, serialDigits, {
      value: payload.toString('latin1', serialAt, blockAt),
    }),
    field(payload, 'PIN block', blockAt, end - blockAt, {
      value: payload.toString('latin1', blockAt, end),
      meaning: 'encrypted by the PIN pad',
    }),
  ];
}

/** Bits 4, 3 and 0 (IDG p.232). */
function attributionText(byte: number): string {
  const from =
    (byte & 0x08) !== 0
      ? 'stripe'
      : (byte & 0x10) !== 0
        ? 'contactless stripe data'
        : (byte & 0x01) !== 0
          ? 'contactless chip'
          : 'contact chip';
  return `${from}, ${(byte & 0x06) === 0 ? 'TDES' : 'AES'}`;
}

function objectsTo(payload: Buffer, at: number, end: number): Field[] {
  const { fields, end: reached } = objectFields(payload, at, end);
  return reached === end ? [...fields] : [...fields, field(payload, 'data', reached, end - reached)];
}

function highlight(fields: readonly Field[]): string {
  const values = valuesOf(fields);
  const amount = values.get('9F02');
  const result = fields.find(({ name }) => name === 'result' || name === 'state' || name === 'poll mode')?.meaning;
  const currency = currencyOf(values.get('5F2A') ?? '');
  const error = fields.find(({ name }) => name.startsWith('FFEE1F'))?.meaning;
  const attribution = fields.find(({ name }) => name === 'attribution')?.meaning?.split(',')[0];
  return [
    amount === undefined ? '' : amountText(amount, currency),
    attribution,
    result,
    error,
    values.get('8A') && `8A ${values.get('8A')}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
