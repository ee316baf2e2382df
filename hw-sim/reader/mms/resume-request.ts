import type { IssuerDecision } from '../../card/chip.ts';
import { decodeObjects } from '../../card/tlv.ts';
import { issuerDecision } from '../issuer-decision.ts';
import { objectsByTag } from './objects.ts';

/** 81: the host answered, or nobody could be asked. */
const resumeCode = { answered: 0x00, unreachable: 0x01 } as const;

/**
 * Reads the payload of 1004, in the layout that fixtures/README.md decides: 81, then 84 with FA { 70 { 8A, 91, 71, 72 } }, 8A
 * being Z3 where nobody could be asked. A sentence of what is wrong otherwise.
 */
export function parseResume(payload: Buffer): IssuerDecision | string {
  const objects = objectsByTag(payload, ['81', '84'], '1004');
  if (typeof objects === 'string') return objects;
  const code = objects.get('81');
  const answered = code?.[0] === resumeCode.answered;
  if (code?.length !== 1 || (!answered && code[0] !== resumeCode.unreachable)) return '1004 with a code that is none';
  const outer = objectsByTag(objects.get('84'), ['FA'], '84 of 1004');
  if (typeof outer === 'string') return outer;
  const inner = objectsByTag(outer.get('FA'), ['70'], 'FA of 1004');
  if (typeof inner === 'string') return inner;
  const list = decodeObjects(inner.get('70') ?? Buffer.alloc(0));
  if (list === undefined) return '70 of 1004 that is no list of data objects';
  return issuerDecision(answered, list, '1004');
}
