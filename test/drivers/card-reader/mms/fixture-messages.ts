import assert from 'node:assert/strict';
import fs from 'node:fs';

interface FixtureMessage {
  readonly name: string;
  readonly direction: 'request' | 'response' | 'notification' | 'split';
  readonly hex: string;
  /** The 64-byte reports that carry it, as hex. */
  readonly reports?: readonly string[];
}

const fixture = new URL('../../../../fixtures/frames/mms.json', import.meta.url);

export const { messages } = JSON.parse(fs.readFileSync(fixture, 'utf8')) as { messages: readonly FixtureMessage[] };

export const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
export const hex = (value: Uint8Array) => Buffer.from(value).toString('hex');

/** A whole message of fixtures/frames/mms.json. */
export function named(name: string): Uint8Array {
  const found = messages.find((message) => message.name === name);
  assert.ok(found, name);
  return bytes(found.hex);
}

/** The same with some of its bytes, as hex, replaced by as many others. */
export function changed(name: string, from: string, to: string): Uint8Array {
  const before = hex(named(name));
  const after = before.replace(from.toLowerCase(), to.toLowerCase());
  assert.notEqual(after, before, `${from} in ${name}`);
  assert.equal(after.length, before.length);
  return bytes(after);
}

/** A request with this reference. */
export function request(name: string, reference: number): Uint8Array {
  const asked = named(name);
  asked[5] = reference;
  return asked;
}

/** An answer to the request with this reference. */
export function answerTo(reference: number, name: string): Uint8Array {
  const answer = named(name);
  answer[5] = reference;
  return answer;
}
