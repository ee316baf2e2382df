import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { cryptogramData } from '../../../hw-sim/card/cryptogram-data.ts';
import type { ChipCard } from '../../../hw-sim/card/card.ts';
import {
  applicationCryptogram,
  arpcMethod1,
  arpcMethod2,
  cardMasterKey,
  type CryptogramScheme,
  sessionKey,
} from '../../../hw-sim/crypto/cryptogram.ts';

interface Vector {
  readonly name: string;
  readonly pan: string;
  readonly panSequenceNumber: string;
  readonly masterKey: string;
  readonly diversification: string;
  readonly sessionKey?: string;
  readonly scheme: CryptogramScheme;
  readonly data?: string;
  readonly elements?: Readonly<Record<string, string>>;
  readonly coveredIssuerData?: [number, number];
  readonly arqc: string;
  readonly arpcMethod1?: { readonly responseCode: string; readonly arpc: string };
  readonly arpcMethod2?: readonly { readonly csu: string; readonly proprietary: string; readonly arpc: string }[];
}

const file = JSON.parse(readFileSync(new URL('../../../fixtures/crypto/cryptogram.json', import.meta.url), 'utf8')) as {
  readonly testKeyImkAc: string;
  readonly vectors: readonly Vector[];
};
const imk = bytes(file.testKeyImkAc);

describe('application cryptograms, published vectors', () => {
  test('all three cases are there', () => assert.equal(file.vectors.length, 3));

  for (const vector of file.vectors) {
    const mk = cardMasterKey(imk, vector.pan, vector.panSequenceNumber);
    const atc = bytes(vector.diversification);
    const arqc = bytes(vector.arqc);

    test(`${vector.name}: master key`, () => assert.equal(hex(mk), vector.masterKey));

    if (vector.sessionKey !== undefined) {
      test(`${vector.name}: session key`, () => assert.equal(hex(sessionKey(mk, atc)), vector.sessionKey));
    }

    test(`${vector.name}: ARQC`, () => {
      const data = vector.data === undefined ? elementsOf(vector) : bytes(vector.data);
      assert.ok(data);
      assert.equal(hex(applicationCryptogram(vector.scheme, mk, atc, data)), vector.arqc);
    });

    const first = vector.arpcMethod1;
    if (first !== undefined) {
      test(`${vector.name}: ARPC method 1`, () => {
        assert.equal(hex(arpcMethod1(mk, arqc, bytes(first.responseCode))), first.arpc);
      });
    }

    for (const { csu, proprietary, arpc } of vector.arpcMethod2 ?? []) {
      test(`${vector.name}: ARPC method 2 with '${proprietary}'`, () => {
        assert.equal(hex(arpcMethod2(sessionKey(mk, atc), arqc, bytes(csu), bytes(proprietary))), arpc);
      });
    }
  }
});

describe('what a cryptogram does not take', () => {
  const mk = bytes(file.testKeyImkAc);
  const arqc = Buffer.alloc(8);
  test('a card number with a letter', () => {
    assert.throws(() => cardMasterKey(imk, '476173900101011D', '00'), RangeError);
  });
  test('a sequence number of one digit', () => {
    assert.throws(() => cardMasterKey(imk, '4761739001010119', '1'), RangeError);
  });
  test('a counter of three bytes', () => assert.throws(() => sessionKey(mk, Buffer.alloc(3)), RangeError));
  test('a response code of three bytes', () => assert.throws(() => arpcMethod1(mk, arqc, Buffer.alloc(3)), RangeError));
  test('a short card status update', () => assert.throws(() => arpcMethod2(mk, arqc, Buffer.alloc(3)), RangeError));
  test('a short cryptogram', () => assert.throws(() => arpcMethod2(mk, Buffer.alloc(7), Buffer.alloc(4)), RangeError));
  test('too much proprietary data', () => {
    assert.throws(() => arpcMethod2(mk, arqc, Buffer.alloc(4), Buffer.alloc(9)), RangeError);
  });
});

function elementsOf(vector: Vector): Buffer | undefined {
  const covering = { cryptogram: { coveredIssuerData: vector.coveredIssuerData ?? [0, 0] } } as unknown as ChipCard;
  return cryptogramData(covering, (tag) => {
    const value = vector.elements?.[tag];
    return value === undefined ? undefined : bytes(value);
  });
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function hex(value: Buffer): string {
  return value.toString('hex').toUpperCase();
}
