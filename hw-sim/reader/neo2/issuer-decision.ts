import type { IssuerDecision } from '../../card/chip.ts';
import { decodeObjects } from '../../card/tlv.ts';
import { issuerDecision } from '../issuer-decision.ts';

/**
 * Reads the data of 60-12, in the layout of fixtures/README.md: one byte, 01 if the issuer answered, then 8A, 91, 71
 * and 72. Otherwise a sentence that says what is wrong.
 */
export function parseIssuerDecision(data: Buffer): IssuerDecision | string {
  const flag = data[0];
  if (flag !== 0 && flag !== 1) return '60-12 without a byte that says whether the issuer answered';
  const objects = decodeObjects(data.subarray(1));
  if (objects === undefined) return '60-12 with data that is no list of data objects';
  return issuerDecision(flag === 1, objects, '60-12');
}
