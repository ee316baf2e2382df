import type { Decode, Field } from '../frame.ts';
import { amountText, currencyOf, field, hexOf, named, secretField, unreadable } from './field.ts';
import { objectFields, valuesOf } from './tlv.ts';

/** MagTek's MMS Master Programmer's Manual D100005000, and its WebHID demo (PROTOCOLS). */
const types: Readonly<Record<string, string>> = {
  '01': 'request',
  '02': 'response of the host',
  '03': 'notification of the host',
  '04': 'file',
  '81': 'request of the device',
  '82': 'response',
  '83': 'notification',
  '84': 'file of the device',
};
const ids: Readonly<Record<string, string>> = {
  '1001': 'start transaction',
  '1004': 'resume transaction',
  '1008': 'cancel transaction',
  '1F01': 'reset',
  '2001': 'enter PIN',
  '0101': 'transaction information',
  '0103': 'host action',
  '0105': 'transaction complete',
  '0205': 'PIN complete',
};
const summaries: Readonly<Record<string, string>> = {
  '00': 'done',
  '01': 'started',
  '40': 'done with warnings',
  '41': 'started with warnings',
  '80': 'failed to start',
  '81': 'failed',
};
const refusals: Readonly<Record<string, string>> = {
  '000000': 'OK',
  '010101': 'failure',
  '010102': 'bad parameter',
  '010110': 'PIN key not mapped',
  '020304': 'no transaction',
  '020305': 'can not be cancelled',
  '020308': 'in progress',
};
const technologies: Readonly<Record<string, string>> = {
  '00': 'none',
  '01': 'touchscreen',
  '07': 'keyed in',
  '08': 'stripe',
  '10': 'contact',
  '20': 'contactless',
  '30': 'barcode',
};
const details: Readonly<Record<string, string>> = {
  '010000': 'timed out',
  '010200': 'card inserted',
  '010300': 'card removed',
  '010400': 'card detected',
  '010500': 'two cards',
  '020101': 'PIN entered',
  '020100': 'try another interface',
  '020201': 'PIN entry timed out',
  '020203': 'PIN entry cancelled',
  '020300': 'declined offline',
  '020600': 'approved',
  '020800': 'failed',
  '020803': 'failed, use the stripe',
  '020900': 'not accepted',
  '020D00': 'try again',
  '028000': 'declined',
  '030100': 'cancelled by the host',
  '030200': 'cancelled by the customer',
  '080202': 'request for authorization',
  '080302': 'batch data',
};
/** Objects of a request's 84 that the tag alone does not name, by request. */
const parameters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '1001': { '82': 'time-out', '84': 'options', '86': 'data of the transaction', A3: 'interfaces' },
  '1004': { '81': 'waiting for the host’s answer', '82': 'time-out', '84': 'answer' },
  '2001': {
    '81': 'time-out',
    '82': 'text',
    '83': 'most and least digits',
    '85': 'format of the block',
    A1: 'card number',
  },
};
const interfaces: Readonly<Record<string, string>> = {
  '81': 'stripe',
  '82': 'contact chip',
  '83': 'contactless',
  '85': 'barcode',
};

/** AA and version 00. */
const startBytes = 2;
const transactionHeadBytes = 6;

/** A message of the MMS protocol, without the reports that carried it. */
export const decodeMms: Decode = (payload) => {
  if (payload[0] !== 0xaa || payload[1] !== 0x00) return unreadable(payload, 'bytes that are no MMS message');
  const { fields: outer, end } = objectFields(payload, startBytes, payload.length);
  const [information] = outer;
  if (information?.length !== 6 || payload[information.at] !== 0x81 || end !== payload.length) {
    return unreadable(payload, 'an MMS message that is no list of data objects');
  }
  const at = information.at + 2;
  const [type, id] = [hexOf(payload.subarray(at, at + 1)), hexOf(payload.subarray(at + 2, at + 4))];
  const isEvent = type === '83';
  const others = outer.slice(1).map((each) => bodyField(payload, each, id, type));
  const name = named(ids, id);
  const decoded =
    others
      .find(({ name: title }) => title === '82 status')
      ?.fields?.map(({ meaning }) => meaning)
      .filter(Boolean) ?? [];
  const fields = [
    field(payload, 'start', 0, startBytes),
    field(payload, '81 message', information.at, information.length, {
      value: '',
      fields: [
        field(payload, 'type', at, 1, { meaning: named(types, type) }),
        field(payload, 'reference', at + 1, 1),
        field(payload, 'id', at + 2, 2, { meaning: name }),
      ],
    }),
    ...others,
  ];
  const summary = `${id} ${name ?? 'unknown message'}, ${named(types, type) ?? type}`;
  const more = isEvent || type === '82' ? decoded : [highlight(others)];
  return { summary: [summary, ...more].filter(Boolean).join(' · '), fields };
};

function bodyField(payload: Buffer, { at, length }: Field, id: string, type: string): Field {
  const valueAt = at + headBytes(payload, at);
  const end = at + length;
  if (payload[at] === 0x82) return statusField(payload, at, valueAt, end, type);
  if (payload[at] !== 0x84 || end - valueAt < 2) return field(payload, hexOf(payload.subarray(at, at + 1)), at, length);
  const isData = type === '83';
  const objectsAt = isData ? afterHead(payload, valueAt, end) : valueAt + 2;
  const head = isData
    ? objectsAt > valueAt
      ? [field(payload, 'header and length', valueAt, objectsAt - valueAt)]
      : []
    : [field(payload, 'id again', valueAt, 2)];
  const { fields, end: reached } = objectFields(payload, objectsAt, end);
  const named84 = fields.map((each) => parameterField(payload, each, parameters[id] ?? {}));
  const rest = reached < end ? [secretField('rest', reached, end - reached, `${end - reached} bytes`)] : [];
  return field(payload, '84 data', at, length, { value: '', fields: [...head, ...named84, ...rest] });
}

/** Card data begin with the notification's id, 84 and a length in three octets, then two bytes of length. */
function afterHead(payload: Buffer, at: number, end: number): number {
  const isHead = payload[at + 2] === 0x84 && payload[at + 3] === 0x82 && end - at > transactionHeadBytes + 2;
  return isHead ? at + transactionHeadBytes + 2 : at;
}

function statusField(payload: Buffer, at: number, valueAt: number, end: number, type: string): Field {
  const [first, detail] = [hexOf(payload.subarray(valueAt, valueAt + 1)), hexOf(payload.subarray(valueAt + 1, end))];
  const isEvent = type === '83';
  return field(payload, '82 status', at, end - at, {
    value: '',
    fields: [
      field(payload, isEvent ? 'technology' : 'summary', valueAt, 1, {
        meaning: named(isEvent ? technologies : summaries, first),
      }),
      field(payload, 'detail', valueAt + 1, end - valueAt - 1, {
        meaning: named(isEvent ? details : refusals, detail),
      }),
    ],
  });
}

/** In a request the tags have meanings of their own, and 84 and 86 hold lists. */
function parameterField(payload: Buffer, given: Field, titles: Readonly<Record<string, string>>): Field {
  const [tag = ''] = given.name.split(' ');
  const title = named(titles, tag);
  if (title === undefined) return given;
  const valueAt = given.at + headBytes(payload, given.at);
  const end = given.at + given.length;
  const name = `${tag} ${title}`;
  if (title === 'time-out')
    return field(payload, name, given.at, given.length, {
      value: hexOf(payload.subarray(valueAt, end)),
      meaning: `${payload[valueAt] ?? 0} s`,
    });
  const inner = objectFields(payload, valueAt, end);
  const isList = tag === 'A3' || tag === 'A1' || tag === '86' || title === 'answer';
  if (isList && inner.end === end) {
    const fields =
      tag === 'A3' ? inner.fields.map((each) => interfaceField(payload, each)) : inner.fields.map(hidden(tag));
    return field(payload, name, given.at, given.length, { value: '', fields });
  }
  return field(payload, name, given.at, given.length, { value: hexOf(payload.subarray(valueAt, end)) });
}

/** A1 of 2001 may hold a card number in 82. */
function hidden(list: string): (each: Field) => Field {
  return (each) => {
    if (list !== 'A1' || !each.name.startsWith('82')) return each;
    return secretField('82 card number', each.at, each.length, `${each.length - 2} bytes`, 'card data in the clear');
  };
}

function interfaceField(payload: Buffer, { name, at, length }: Field): Field {
  const [tag = ''] = name.split(' ');
  const value = payload[at + length - 1] ?? 0;
  return field(payload, `${tag} ${named(interfaces, tag) ?? ''}`, at, length, {
    value: hexOf(payload.subarray(at + 2, at + length)),
    meaning: value === 0 ? 'off' : 'on',
  });
}

/** Bytes of a one-byte tag and of its length. */
function headBytes(payload: Buffer, at: number): number {
  const length = payload[at + 1] ?? 0;
  return length < 0x80 ? 2 : 2 + (length & 0x7f);
}

function highlight(fields: readonly Field[]): string {
  const values = valuesOf(fields);
  const amount = values.get('9F02');
  const answer = values.get('8A');
  if (answer !== undefined) return `8A ${answer}`;
  return amount === undefined ? '' : amountText(amount, currencyOf(values.get('5F2A') ?? ''));
}
