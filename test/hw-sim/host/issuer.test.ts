import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChipCard } from '../../../hw-sim/card/card.ts';
import { arqcVerifies, type IssuerCheck, issuerAuthenticationData } from '../../../hw-sim/host/iso8583/issuer.ts';
import { testCards } from './terminal.ts';

const cards = await testCards();

/** The published Visa vectors (knovichikhin/pyemv, tests/test_cvn_hsm.py): PAN 1234567890123456, PSN 00. */
const common: [string, string][] = [
  ['9F02', '000000004000'],
  ['9F03', '000000000000'],
  ['9F1A', '0124'],
  ['95', '8000048000'],
  ['5F2A', '0124'],
  ['9A', '191105'],
  ['9C', '01'],
  ['9F37', '52BF4585'],
  ['82', '1800'],
  ['9F36', '001C'],
];

function vector(scheme: 'CVN10' | 'CVN18', arqc: string): IssuerCheck {
  const version = scheme === 'CVN10' ? '0A' : '12';
  const issuerApplicationData = scheme === 'CVN10' ? '06010A03A06010' : '06011203A0B800';
  const covered: [number, number] = scheme === 'CVN10' ? [3, 7] : [0, 7];
  const card: ChipCard = {
    ...cards('visa'),
    pan: '1234567890123456',
    cryptogram: { scheme, version, issuerApplicationData, coveredIssuerData: covered },
  };
  const emv = new Map([...common, ['9F10', issuerApplicationData], ['9F26', arqc]] as [string, string][]);
  return { card, panSequenceNumber: '00', emv };
}

describe('the issuer', () => {
  it('CVN10: verifies the published ARQC and answers the published ARPC, method 1, with the response code', () => {
    const check = vector('CVN10', '29CCA15AE665FA2E');
    assert.equal(arqcVerifies(check), true);
    assert.equal(issuerAuthenticationData(check, '00'), '28993816AFAE4AEB3030');
  });

  it('CVN18: verifies the published ARQC and answers the published ARPC, method 2, with the card status update', () => {
    const check = vector('CVN18', '7A788EA6B8A3E733');
    assert.equal(arqcVerifies(check), true);
    assert.equal(issuerAuthenticationData(check, '51'), '9AF514C100000000');
    const approved = issuerAuthenticationData(check, '00');
    assert.match(approved, /^[0-9A-F]{8}00830000$/);
    assert.notEqual(approved.slice(0, 8), '9AF514C1');
  });

  it('refuses a cryptogram over anything else', () => {
    const check = vector('CVN18', '7A788EA6B8A3E733');
    for (const tag of [...common.map(([name]) => name), '9F10', '9F26']) {
      const value = Buffer.from(check.emv.get(tag) ?? '', 'hex');
      value.writeUInt8(value.readUInt8(value.length - 1) ^ 1, value.length - 1);
      const emv = new Map(check.emv).set(tag, value.toString('hex').toUpperCase());
      assert.equal(arqcVerifies({ ...check, emv }), false, `${tag} changed`);
      emv.delete(tag);
      assert.equal(arqcVerifies({ ...check, emv }), false, `${tag} missing`);
    }
    assert.equal(arqcVerifies({ ...check, panSequenceNumber: '01' }), false);
  });
});
