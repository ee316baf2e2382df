import assert from 'node:assert/strict';
import type { Json } from './served.ts';

/** Stands where a card number could: no refused value may come back. */
export const marker = '4761739001010119';

export function assertRefused(
  { status, json, text }: { status: number; json: Json; text: string },
  expected: number,
): void {
  assert.equal(status, expected, text);
  assert.equal(typeof json.responseResult, 'string');
  assert.equal(typeof json.responseCode, 'number');
  assert.ok(json.message.length > 0);
  assert.equal(json.financialImpact, 'NONE');
  assert.ok(!text.includes(marker), `a value came back: ${text}`);
  assert.doesNotMatch(text, /JsonNumber|undefined|Zod/, 'words of the inside');
}
