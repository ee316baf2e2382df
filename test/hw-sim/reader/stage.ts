import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Card, loadCards } from '../../../hw-sim/card/card.ts';
import { type Neo2Options, Neo2Reader } from '../../../hw-sim/reader/neo2/reader.ts';
import { command, hex, MemoryPty, type Response, response } from './wire.ts';

export const cards = await loadCards(fileURLToPath(new URL('../../../fixtures/cards', import.meta.url)));

/** The published test key; the first transaction of these tests has the first published key. */
export const keys = {
  bdk: hex('0123456789ABCDEFFEDCBA9876543210'),
  ksn: hex('FFFF9876543210E00000'),
};
/** The same for AES. */
export const aesKeys = { bdk: hex('FEDCBA9876543210F1F1F1F1F1F1F1F1'), ksn: hex('123456789012345600000000') };
export const at = new Date(2026, 10, 21, 12, 0, 0);

export const pollOnDemand = '5669564f746563683200 01 01 0001 01 D734';
export const cancel = '5669564f746563683200 05 01 0000 92EF';
export const cancelled = { command: '05', status: '00', data: Buffer.alloc(0) };

/** Data objects of 02-40 without interfaces: a purchase of HKD 30.00. */
const purchase = '9C0100 9F0206000000003000 5F2A020344 9F0306000000000000';
export const thirtyDollars = `${purchase} DFEF370102`;

/** 02-40 for 30 s; `interfaces` is DFEF37, `more` further data objects. */
export function activation(interfaces: string, more = ''): string {
  return command('02-40', `1E ${purchase} DFEF3701${interfaces} ${more}`);
}

export interface Stage {
  readonly pty: MemoryPty;
  readonly reader: Neo2Reader;
}

export function start(t: TestContext, options: Partial<Neo2Options> = {}): Stage {
  const pty = new MemoryPty();
  const reader = new Neo2Reader(pty, {
    ...keys,
    firmware: 'CraneVendi_1.0.0',
    now: () => at,
    random: () => hex('52BF4585'),
    ...options,
  });
  t.after(() => reader.close());
  return { pty, reader };
}

export function ready(t: TestContext, options: Partial<Neo2Options> = {}): Stage {
  const stage = start(t, options);
  stage.pty.send(pollOnDemand);
  stage.pty.sent();
  return stage;
}

/** Waits for a card; contactless alone where no interfaces are named. */
export function armed(t: TestContext, interfaces = '02', options: Partial<Neo2Options> = {}): Stage {
  const stage = ready(t, options);
  stage.pty.send(activation(interfaces));
  assert.equal(stage.reader.armed, true);
  return stage;
}

export function card(name: string): Card {
  const found = cards.get(name);
  assert.ok(found);
  return found;
}

export function whysOf(reader: Neo2Reader): string[] {
  return reader.unexpected.map(({ why }) => why);
}

/** Everything that the reader wrote since the last time, as whole responses. */
export function responses(pty: MemoryPty): Response[] {
  const bytes = hex(pty.sent());
  const found: Response[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 14 + bytes.readUInt16BE(at + 12) + 2;
    found.push(response(bytes.toString('hex', at, end)));
    at = end;
  }
  return found;
}

/** The data of a card's answer: its beginning, up to the last enciphered object, and the objects in the clear by tag. */
export function cardAnswerOf(data: Buffer): { readonly start: string; readonly clear: Map<string, string> } {
  const text = data.toString('hex').toUpperCase();
  // Attribution, key serial number, then 57 masked and enciphered, 5A masked and enciphered.
  let at = 1 + 3 + 1 + 10;
  for (let object = 0; object < 4; object++) at += 3 + (data[at + 2] ?? 0);
  return { start: text.slice(0, 2 * at), clear: tagsOf(data.subarray(at)) };
}

/** Data objects with one-byte lengths, by tag. */
export function tagsOf(list: Buffer): Map<string, string> {
  const tags = new Map<string, string>();
  let rest = list.toString('hex').toUpperCase();
  while (rest !== '') {
    const [head, tag = '', length = ''] =
      /^((?:[0-9A-F][0-9A-E]|[13579BDF]F[0-7][0-9A-F])|DF[0-7].)?(..)/.exec(rest) ?? [];
    assert.ok(head, rest);
    const end = head.length + 2 * Number(`0x${length}`);
    tags.set(tag, rest.slice(head.length, end));
    rest = rest.slice(end);
  }
  return tags;
}
