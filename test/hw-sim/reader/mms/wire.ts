import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hex } from '../wire.ts';

export interface FixtureMessage {
  readonly name: string;
  readonly direction: 'request' | 'response' | 'notification' | 'split';
  readonly hex: string;
  readonly reports?: readonly string[];
}

const { messages } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/frames/mms.json', import.meta.url), 'utf8'),
) as { readonly messages: readonly FixtureMessage[] };

export const fixtures: ReadonlyMap<string, FixtureMessage> = new Map(messages.map((each) => [each.name, each]));

/** The bytes of a message of fixtures/frames/mms.json, as hex. */
export function fixture(name: string): string {
  const found = fixtures.get(name);
  assert.ok(found, name);
  return found.hex;
}

/** A message as 64-byte reports, as hex: what buildCmdsArray of MagTek's demo makes of it, written down once more. */
export function reportsOf(message: string): string {
  const digits = message.replaceAll(' ', '');
  const bytes = digits.length / 2;
  const filled = (text: string): string => text.padEnd(128, '0');
  if (bytes <= 62) return filled(`00${byte(bytes)}${digits}`);
  let rest = digits;
  const take = (count: number): string => {
    const taken = rest.slice(0, 2 * count);
    rest = rest.slice(2 * count);
    return taken;
  };
  let reports = filled(`01${byte(bytes, 4)}${take(59)}`);
  for (let number = 1; rest.length > 2 * 62; number++) reports += filled(`02${byte(number, 2)}${take(61)}`);
  return reports + filled(`03${byte(rest.length / 2)}${rest}`);
}

/** The messages in a row of 64-byte reports, as hex. */
export function messagesOf(reports: string): string[] {
  assert.equal(reports.length % 128, 0, 'whole reports');
  const found: string[] = [];
  let total = 0;
  let part = '';
  let middles = 0;
  for (const report of reports.match(/.{128}/g) ?? []) {
    const single = /^00(..)/.exec(report);
    const first = /^01(.{8})(.{118})$/.exec(report);
    const middle = /^02(.{4})(.{122})$/.exec(report);
    const last = /^03(..)/.exec(report);
    if (single) found.push(padded(report.slice(4), number(single[1])));
    else if (first) {
      assert.equal(part, '');
      total = number(first[1]);
      part = first[2] ?? '';
      middles = 0;
    } else if (middle) {
      assert.equal(number(middle[1]), ++middles);
      part += middle[2];
    } else if (last) {
      part += padded(report.slice(4), number(last[1]));
      assert.equal(part.length, 2 * total);
      found.push(part);
      part = '';
    } else assert.fail(`a report that begins with ${report.slice(0, 2)}`);
  }
  assert.equal(part, '', 'a message that does not end');
  return found;
}

function padded(text: string, bytes: number): string {
  assert.match(text.slice(2 * bytes), /^0*$/);
  return text.slice(0, 2 * bytes);
}

function byte(value: number, bytes = 1): string {
  return value.toString(16).padStart(2 * bytes, '0');
}

function number(text: string | undefined): number {
  return Number.parseInt(text ?? '', 16);
}

/** A data object, as hex. */
export function object(tag: string, value: string): string {
  const digits = value.replaceAll(' ', '');
  const bytes = digits.length / 2;
  const length = bytes < 0x80 ? byte(bytes) : bytes < 0x100 ? `81${byte(bytes)}` : `82${byte(bytes, 2)}`;
  return `${tag}${length}${digits}`;
}

/** A request message as hex: '1001', and what stands behind the id in 84. */
export function request(id: string, payload = '', reference = '01'): string {
  return `aa00810401${reference}${id}${object('84', `${id}${payload}`)}`;
}

/** What a response says: 'summary detail', for a request of this id and reference. */
export function response(id: string, status: string, reference = '01'): string {
  return `aa00810482${reference}${id}8204${status.replaceAll(' ', '')}8402${id}`;
}

/** A notification without data: '0101 20 010400'. */
export function notification(text: string): string {
  const [id = '', what = '', detail = ''] = text.split(' ');
  return `aa0081048300${id}8204${what}${detail}`;
}

/** Data objects with tags of up to three bytes, in upper-case hex, as `name value` in their order. */
export function objectsOf(list: string): [tag: string, value: string][] {
  const found: [string, string][] = [];
  let rest = list.toUpperCase();
  while (rest !== '') {
    const [, tag = '', long, length = ''] =
      /^((?:.[13579BDF]|.[02468ACE])(?:(?<=[13579BDF]F)(?:[89A-F].)*[0-7].)?)(8[12])?(.*)$/.exec(rest) ?? [];
    assert.notEqual(tag, '', rest);
    const lengthDigits = long === '82' ? 4 : 2;
    const bytes = Number.parseInt(length.slice(0, lengthDigits), 16);
    const value = length.slice(lengthDigits, lengthDigits + 2 * bytes);
    assert.equal(value.length, 2 * bytes, tag);
    found.push([tag, value]);
    rest = length.slice(lengthDigits + 2 * bytes);
  }
  return found;
}

export interface TransactionData {
  readonly serial: string;
  /** What stands in FA, by tag. */
  readonly parts: ReadonlyMap<string, string>;
  /** What stands in F1 of F0. */
  readonly results: ReadonlyMap<string, string>;
  /** What stands in 70 beside F8. */
  readonly clear: ReadonlyMap<string, string>;
  /** What stands in F8. */
  readonly sealed: ReadonlyMap<string, string>;
}

/** Takes the data of a 0101 apart: 84 with six bytes of header, two of length, then F9. */
export function transactionData(message: string): TransactionData {
  const body = new Map(objectsOf(message.slice(4)));
  const payload = body.get('84') ?? '';
  assert.equal(payload.slice(0, 8), '01018482', 'the header, as published');
  assert.equal(number(payload.slice(8, 12)), hex(payload).length - 6);
  assert.equal(number(payload.slice(12, 16)), hex(payload).length - 8);
  const outer = new Map(objectsOf(payload.slice(16)));
  assert.deepEqual([...outer.keys()], ['F9']);
  const inside = new Map(objectsOf(outer.get('F9') ?? ''));
  assert.deepEqual([...inside.keys()], ['DFDF25', 'FA']);
  const parts = new Map(objectsOf(inside.get('FA') ?? ''));
  const list = objectsOf(parts.get('70') ?? '');
  const results = new Map(objectsOf(parts.get('F0') ?? ''));
  return {
    serial: hex(inside.get('DFDF25') ?? '').toString('latin1'),
    parts,
    results: new Map(objectsOf(results.get('F1') ?? '')),
    clear: new Map(list.filter(([tag]) => tag !== 'F8')),
    sealed: new Map(objectsOf(new Map(list).get('F8') ?? '')),
  };
}
