import type { IssuerDecision } from '../card/chip.ts';
import type { DataObject } from '../card/tlv.ts';

/** 8A of a terminal that could not reach the host: the card must decline. */
const notAsked = 'Z3';

const known: ReadonlySet<string> = new Set(['8A', '91', '71', '72']);

/**
 * The issuer's decision from its data objects: 8A, 91, 71 and 72. Otherwise a sentence that says what is wrong;
 * `command` is the command's name in it.
 */
export function issuerDecision(
  answered: boolean,
  objects: readonly DataObject[],
  command: string,
): IssuerDecision | string {
  const stranger = objects.find(({ tag }) => !known.has(tag));
  if (stranger !== undefined) return `${command} with ${stranger.tag}`;
  const responseCodes = objects.filter(({ tag }) => tag === '8A');
  const proofs = objects.filter(({ tag }) => tag === '91');
  const responseCode = responseCodes[0]?.value.toString('latin1') ?? '';
  if (responseCodes.length !== 1 || !/^[0-9A-Z]{2}$/.test(responseCode)) {
    return `${command} without one 8A of two characters`;
  }
  if (proofs.length > 1) return `${command} with 91 twice`;
  const authenticationData = proofs[0]?.value;
  // EMV 4.3 Book 3, annex A: 8 to 16 bytes.
  if (authenticationData !== undefined && (authenticationData.length < 8 || authenticationData.length > 16)) {
    return `${command} with a 91 of ${authenticationData.length} bytes`;
  }
  if (answered === (responseCode === notAsked)) {
    return `${command} with ${responseCode} in 8A and ${answered ? 1 : 0} for the issuer's answer`;
  }
  if (!answered && objects.length > 1) return `${command} with more than 8A where nobody answered`;
  return {
    answered,
    responseCode,
    ...(authenticationData && { authenticationData }),
    scripts: objects.filter(({ tag }) => tag === '71' || tag === '72'),
  };
}
