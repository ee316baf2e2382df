import * as z from 'zod';
import type { Handler } from './call.ts';
import { refusalAnswer } from './call.ts';
import { errorAnswer } from './envelope.ts';
import { identifier, inputFaults, jsonObject, refusal } from './input.ts';
import { bytes32, success } from './pairing.ts';

const rotationRequest = z.strictObject({ posId: identifier, posPublicKey: bytes32, posNonce: bytes32 }, jsonObject);

const gone = {
  reason: 'notPaired',
  message: 'the key of this call is not known any more, or newer calls have agreed on others',
} as const;

/** POST /sp/v1/pairing/rotate, through the cloud alone: the key that follows the one of this call (docs/cloud.md). */
export const rotate: Handler = async (body, { pairing }, { posId, cloud }) => {
  const parsed = rotationRequest.safeParse(body);
  if (!parsed.success)
    return refusalAnswer(400, { result: 'INVALID_PARAMETER', errors: inputFaults(parsed.error) }, body);
  if (!pairing || posId === undefined || !cloud) return errorAnswer(401, 'ERROR', gone, { financialImpact: 'NONE' });
  const { keyId, createdS } = cloud;
  const rotated = await pairing.rotate({ posId, keyId, createdS }, parsed.data);
  if (rotated === 'unknown') return errorAnswer(401, 'ERROR', gone, { financialImpact: 'NONE' });
  if (rotated === 'noKey')
    return refusalAnswer(400, refusal('INVALID_PARAMETER', 'fieldInvalid', '/posPublicKey', 'is no key'), body);
  return success({ posId, ...rotated });
};
