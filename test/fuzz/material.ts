import { readFileSync } from 'node:fs';
import { canary, canaryBytes } from './target.ts';

// Fixtures are read as they are: an absent field fails where it is used.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** A file of fixtures/. */
export function fixture(name: string): Json {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8'));
}

export const text = (value: string) => Buffer.from(value);
export const hex = (value: string) => Buffer.from(value, 'hex');
export const json = (value: unknown) => text(JSON.stringify(value));

/** Pieces of binary messages: lengths at their limits, tags of cards, a card number in the clear. */
export const binaryTokens = [
  '00',
  '7F',
  '80',
  '8180',
  '81FF',
  '820100',
  '82FFFF',
  '83FFFFFF',
  '84FFFFFFFF',
  'FFFF',
  '0000000000000000',
  '57',
  '5A',
  '5F20',
  '9F26',
  '9F2701',
  '9F2608',
  'DFEE12',
  '70',
  '77',
  'E1',
  'F9',
  'FA',
  'F8',
  'FFEE01',
  'FFEE1F',
  '57A1',
  '57C1',
  '5AA1',
  '5AC1',
  '5A08',
  '5708',
  '500F',
  '840A',
  '9F1210',
  '8A023030',
  '91',
  '71',
  '72',
  '1F8080',
]
  .map(hex)
  .concat([canaryBytes, text(canary), Buffer.alloc(64, 0xff), Buffer.alloc(300, 0x41)]);

/** Pieces of JSON: what is of another type than wanted, too large, not to be turned into text, or not there for long. */
export const jsonTokens = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\u0000',
  '\ufeff',
  '漢',
  '\u{1f4b3}',
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1e999',
  '-1',
  '30.001',
  '1E+2',
  '1e-400',
  '9'.repeat(50),
  '0.1',
  '1e5',
  '""',
  '"a"',
  '[]',
  '{}',
  '[[]]',
  '{"toString":1}',
  '{"toString":1,"valueOf":1}',
  '{"length":9}',
  '["0000"]',
  '"__proto__":',
  '"constructor":',
  '"toJSON":',
  '"toString":',
  '{"__proto__":{"posId":"P"}}',
  '"\\u007f"',
  canary,
  `"${canary}"`,
  `"ECHO${canary}"`,
  `{"${canary}":"${canary}"}`,
  `"${'x'.repeat(200)}"`,
].map(text);

export const jsonNests = [
  ['[', ']'],
  ['{"a":', '}'],
] as const;
