import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeForm, isFormType, MalformedForm } from '../../../../hw-sim/host/qfpay/form.ts';
import { isSignature, signature, signedText, signTypeOf } from '../../../../hw-sim/host/qfpay/signature.ts';
import { fixture } from './fixture.ts';

interface Vector {
  readonly parameters: Readonly<Record<string, string>>;
  readonly signed: string;
  readonly SHA256: string;
}

interface Published {
  readonly signatures: readonly (Vector & { key: string; MD5: string })[];
  readonly requests: Readonly<Record<string, string | (Vector & { body: string })>> & { key: string };
}

const { signatures, requests } = await fixture<Published>('messages/qfpay.json');

describe('the signature', () => {
  it('is the published one', () => {
    assert.equal(signatures.length, 1);
    for (const { parameters, key, signed, SHA256, MD5 } of signatures) {
      // The order in which fields come does not matter.
      const form = new Map(Object.entries(parameters).toReversed());
      assert.equal(signedText(form, key), signed);
      assert.equal(signature(signed, 'SHA256'), SHA256);
      assert.equal(signature(signed, 'MD5'), MD5);
      assert.ok(isSignature(SHA256, form, key, 'SHA256'));
      assert.ok(isSignature(MD5.toLowerCase(), form, key, 'MD5'));
      assert.ok(!isSignature(MD5, form, key, 'SHA256'));
      assert.ok(!isSignature(undefined, form, key, 'MD5'));
      assert.ok(!isSignature(SHA256, new Map([...form, ['txamt', '101']]), key, 'SHA256'));
    }
  });

  it('is made of the fields as they were before they were escaped', () => {
    let checked = 0;
    for (const vector of Object.values(requests)) {
      if (typeof vector === 'string') continue;
      const form = decodeForm(Buffer.from(vector.body));
      assert.deepEqual(Object.fromEntries(form), vector.parameters);
      assert.equal(signedText(form, requests.key), vector.signed);
      assert.ok(isSignature(vector.SHA256, form, requests.key, 'SHA256'));
      checked += 1;
    }
    assert.ok(checked >= 6);
  });

  it('sorts names by their characters, not by a language', () => {
    const form = new Map([
      ['b', '1'],
      ['a_', '2'],
      ['B', '3'],
      ['ab', '4'],
    ]);
    assert.equal(signedText(form, ''), 'B=3&a_=2&ab=4&b=1');
  });

  it('is MD5 where nothing is said, and nothing but the two', () => {
    assert.equal(signTypeOf(undefined), 'MD5');
    assert.equal(signTypeOf('MD5'), 'MD5');
    assert.equal(signTypeOf('SHA256'), 'SHA256');
    for (const other of ['', 'sha256', 'SHA-256', 'SHA1', 'MD5, MD5']) assert.equal(signTypeOf(other), undefined);
  });
});

describe('a form', () => {
  it('is decoded', () => {
    const form = decodeForm(Buffer.from('a=1+2%2B&b=%E6%B8%AF&c='));
    assert.deepEqual(
      [...form],
      [
        ['a', '1 2+'],
        ['b', '港'],
        ['c', ''],
      ],
    );
    assert.equal(decodeForm(Buffer.alloc(0)).size, 0);
  });

  const malformed: readonly (readonly [what: string, body: string])[] = [
    ['a blank', 'a=1 2'],
    ['a byte that is no ASCII', 'a=港'],
    ['a line break', 'a=1\r\n'],
    ['a part without a name', 'a=1&=2'],
    ['a part without a value', 'a=1&b'],
    ['an empty part', 'a=1&&b=2'],
    ['a second sign of equality', 'a=1=2'],
    ['an escape that is none', 'a=%zz'],
    ['half an escape', 'a=%4'],
    ['an escape that is no UTF-8', 'a=%ff'],
    ['a field twice', 'a=1&%61=2'],
    ['too many fields', Array.from({ length: 33 }, (_, i) => `f${i}=1`).join('&')],
  ];
  for (const [what, body] of malformed) {
    it(`with ${what} is refused, and its values are kept quiet`, () => {
      assert.throws(
        () => decodeForm(Buffer.from(body)),
        (error) => error instanceof MalformedForm && !error.message.includes('港') && !error.message.includes('%'),
      );
    });
  }

  it('is known by its media type', () => {
    for (const type of ['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=UTF-8']) {
      assert.ok(isFormType(type));
    }
    const others = [undefined, '', 'application/json', 'application/x-www-form-urlencoded; charset=big5', 'text/plain'];
    for (const type of others) assert.ok(!isFormType(type));
  });
});
