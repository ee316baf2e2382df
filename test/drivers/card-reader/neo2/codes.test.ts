import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cardCompletion } from '../../../../drivers/card-reader/neo2/contact.ts';
import { pinOutcome } from '../../../../drivers/card-reader/neo2/pin-pad.ts';
import { collectOutcome } from '../../../../drivers/card-reader/neo2/frame.ts';
import { DeviceError } from '../../../../src/base/ports/device.ts';
import { request } from './stage.ts';

interface Code {
  readonly code: string;
  readonly name: string;
}
const published = JSON.parse(
  readFileSync(new URL('../../../../fixtures/frames/neo2-codes.json', import.meta.url), 'utf8'),
) as { readonly status: readonly Code[]; readonly error: readonly Code[] };

const nothing = new Uint8Array();

/** What an answer without data comes to: a kind with its reason, or the code of the DeviceError that it throws. */
function cameTo(read: () => { readonly kind: string; readonly reason?: string }): string {
  try {
    const { kind, reason } = read();
    return reason === undefined ? kind : `${kind} ${reason}`;
  } catch (error) {
    assert.ok(error instanceof DeviceError);
    return `throws ${error.code}`;
  }
}

function assertEach(
  codes: readonly Code[],
  others: string,
  known: Record<string, string>,
  read: (code: number) => string,
) {
  const left = new Set(Object.keys(known));
  for (const { code, name } of codes) {
    assert.equal(read(Number.parseInt(code, 16)), known[code] ?? others, `${code} ${name}`);
    left.delete(code);
  }
  assert.deepEqual([...left], [], 'known here, and not published');
}

test('every status of an answer to 02-40', () => {
  const known = {
    // A card without any data is no card.
    '00': 'throws protocol',
    '23': 'throws protocol',
    '01': 'tryAgain read-error',
    '04': 'tryAgain read-error',
    '08': 'timeout',
    '0A': 'tryAgain read-error',
  };
  const read = (code: number) => cameTo(() => collectOutcome(code, nothing, request));
  assertEach(published.status, 'throws refused', known, read);
});

test('every status of an answer to 60-12: none without data is an approval', () => {
  const read = (status: number) =>
    cameTo(() =>
      cardCompletion(
        { status, data: nothing, acknowledged: true },
        { kind: 'approved', responseCode: '00', issuerData: new Map() },
      ),
    );
  assertEach(published.status, 'throws refused', { '00': 'throws protocol', '0A': 'lost' }, read);
});

test('every status of an answer to 62-01: none without data is a PIN', () => {
  const read = (status: number) => cameTo(() => pinOutcome({ status, data: nothing, acknowledged: true }));
  assertEach(published.status, 'throws refused', { '00': 'throws protocol', '08': 'timeout' }, read);
});

test('every error code of a failed 02-40, with an attribution byte before it and without', () => {
  const known = {
    '21': 'tryAgain collision',
    '22': 'refused over-limit',
    '25': 'refused blocked',
    '26': 'refused expired',
    '27': 'refused unsupported',
    '30': 'tryAgain card-lost',
  };
  for (const before of [[], [0xc1]]) {
    const read = (code: number) => {
      const data = Uint8Array.of(...before, 0xff, 0xee, 0x1f, 0x04, code, 0x00, 0x00, 0x01);
      return cameTo(() => collectOutcome(0x0a, data, request));
    };
    assertEach(published.error, 'tryAgain read-error', known, read);
  }
});
