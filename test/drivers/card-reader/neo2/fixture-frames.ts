import assert from 'node:assert/strict';
import fs from 'node:fs';
import type { CrcOrder } from '../../../../drivers/card-reader/neo2/frame.ts';

export interface FixtureFrame {
  readonly name: string;
  readonly direction: 'command' | 'response' | 'event';
  readonly hex: string;
  readonly crc: CrcOrder;
}

const fixture = new URL('../../../../fixtures/frames/neo2.json', import.meta.url);

export const { frames } = JSON.parse(fs.readFileSync(fixture, 'utf8')) as { frames: readonly FixtureFrame[] };

/** A whole frame of fixtures/frames/neo2.json. */
export function named(name: string): Uint8Array {
  const found = frames.find((frame) => frame.name === name);
  assert.ok(found, name);
  return Uint8Array.from(Buffer.from(found.hex, 'hex'));
}
