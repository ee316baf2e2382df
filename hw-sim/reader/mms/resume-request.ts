import type { IssuerDecision } from '../../card/chip.ts';
import { decodeObjects } from '../../card/tlv.ts';
import { issuerDecision } from '../issuer-decision.ts';
import { objectsByTag } from './objects.ts';

/** 81: waiting for the host's answer. */
const waiting = 0x00;

/** 82 stands in the published example but not in the manual's table, so it is optional here. */
const unexplained = '82';

/** Assumed: 8A if the host could not be asked, as the device uses it itself in its Quick Chip flow. */
const unreachable = 'Z3';

/**
 * Reads the payload of 1004 (Tables 74, 4.61): 81, then 84 with FF74 { DFDF25 the device's serial number, FA { 70 {
 * 8A, 91, 71, 72 } } }. Otherwise a sentence that says what is wrong.
 */
export function parseResume(payload: Buffer, serial: string): IssuerDecision | string {
  const given = decodeObjects(payload) ?? [];
  const hasMore = given.some(({ tag }) => tag === unexplained);
  const objects = objectsByTag(payload, hasMore ? ['81', unexplained, '84'] : ['81', '84'], '1004');
  if (typeof objects === 'string') return objects;
  const code = objects.get('81');
  if (code?.length !== 1 || code[0] !== waiting) return '1004 with a code that is none';
  if (hasMore && objects.get(unexplained)?.length !== 1) return '1004 with 82 of another length';
  const outer = objectsByTag(objects.get('84'), ['FF74'], '84 of 1004');
  if (typeof outer === 'string') return outer;
  const middle = objectsByTag(outer.get('FF74'), ['DFDF25', 'FA'], 'FF74 of 1004');
  if (typeof middle === 'string') return middle;
  if (middle.get('DFDF25')?.toString('latin1') !== serial) return "1004 with another device's serial number";
  const inner = objectsByTag(middle.get('FA'), ['70'], 'FA of 1004');
  if (typeof inner === 'string') return inner;
  const list = decodeObjects(inner.get('70') ?? Buffer.alloc(0));
  if (list === undefined) return '70 of 1004 that is no list of data objects';
  const answered = !list.some(({ tag, value }) => tag === '8A' && value.toString('latin1') === unreachable);
  return issuerDecision(answered, list, '1004');
}
