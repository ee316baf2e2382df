import * as z from 'zod';
import type { NotPaired } from '../pairing/pairing.ts';
import { type Refusal, responseCode } from '../../base/domain/reason.ts';
import { type Handler, refusalAnswer } from './call.ts';
import { type Answer, errorAnswer } from './pos-response.ts';
import { identifier, inputFaults, jsonObject, refusal, text } from './input.ts';

const bytes32 = text(64).regex(/^[0-9a-f]{64}$/, 'must be 32 bytes as lower-case hex');

export const pairingRequest = z.strictObject({ posId: identifier, commitment: bytes32 }, jsonObject);
export const revealRequest = z.strictObject(
  { pairingId: text(32).min(1, 'must not be empty'), posPublicKey: bytes32, posNonce: bytes32 },
  jsonObject,
);

/** POST /sp/v1/pairing: the POS commits to its key, and the terminal answers with its own half (docs/pairing.md). */
export const pairing: Handler = async (body, { pairing: open }, { address, isRemote }) => {
  const parsed = pairingRequest.safeParse(body);
  if (!parsed.success)
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) }, body);
  const { posId, commitment } = parsed.data;
  const begun = open?.begin(posId, commitment, address, isRemote) ?? 'closed';
  return typeof begun === 'string' ? pairingRefusal(begun) : success({ posId, ...begun });
};

/** POST /sp/v1/pairing/reveal: shows the code, and answers when the operator has decided. */
export const reveal: Handler = async (body, { pairing: open }) => {
  const parsed = revealRequest.safeParse(body);
  if (!parsed.success)
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) }, body);
  const paired = (await open?.reveal(parsed.data)) ?? 'closed';
  return typeof paired === 'string' ? pairingRefusal(paired) : success({ ...paired });
};

const rotationRequest = z.strictObject({ posId: identifier, posPublicKey: bytes32, posNonce: bytes32 }, jsonObject);

const gone = {
  reason: 'notPaired',
  message: 'the key of this call is not known any more, or newer calls have agreed on others',
} as const;

/** POST /sp/v1/pairing/rotate, through the cloud alone: the key that follows the one of this call (docs/cloud.md). */
export const rotate: Handler = async (body, { pairing: open }, { posId, isRemote, key }) => {
  const parsed = rotationRequest.safeParse(body);
  if (!parsed.success)
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) }, body);
  if (!open || posId === undefined || !isRemote || !key)
    return errorAnswer(401, 'ERROR', gone, { financialImpact: 'NONE' });
  const rotated = await open.rotate({ posId, ...key }, parsed.data);
  if (rotated === 'unknown') return errorAnswer(401, 'ERROR', gone, { financialImpact: 'NONE' });
  if (rotated === 'noKey')
    return refusalAnswer(400, refusal('INVALID_PARAMETER', 'fieldInvalid', '/posPublicKey', 'is no key'), body);
  return success({ posId, ...rotated });
};

function success(fields: Readonly<Record<string, unknown>>): Answer {
  return { status: 200, body: { responseResult: 'SUCCESS', responseCode: responseCode('SUCCESS'), ...fields } };
}

const refusals: Readonly<Record<NotPaired, Refusal>> = {
  closed: {
    reason: 'pairingClosed',
    message: 'pairing is not open: the operator opens it in the menu of the terminal’s screen',
  },
  busy: { reason: 'pairingBusy', message: 'another pairing is under way' },
  again: {
    reason: 'pairingNotCompleted',
    message: 'an earlier pairing from this address was not completed: the operator must open pairing again',
  },
  unknown: { reason: 'pairingUnknown', message: 'there is no such pairing, or its code was already shown' },
  changed: {
    reason: 'pairingChanged',
    message: 'the key does not match the commitment: somebody may have changed it on the way',
  },
  refused: { reason: 'pairingRefused', message: 'the operator refused, or did not answer in time' },
  full: { reason: 'pairingFull', message: 'too many points of sale are paired: revoke one with poid unpair' },
};

function pairingRefusal(why: NotPaired): Answer {
  return errorAnswer(409, 'ERROR', refusals[why], { financialImpact: 'NONE' });
}
