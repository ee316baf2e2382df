import { declineReason as octopusReason } from '../../../drivers/octopus/agent/codes.ts';
import { declineReason as iso8583Reason } from '../../hosts/iso8583/dialect.ts';
import { declineReason as qfpayReason } from '../../hosts/qfpay/respcd.ts';
import type { DeclineReason } from '../../base/domain/decline-reason.ts';

/**
 * The reason for a code in a record of a version that stored codes only. That version had three kinds of codes,
 * distinguished by length: two characters of ISO 8583, four digits of QFPay, six of Octopus.
 */
export function recordedReason(code: string): DeclineReason {
  switch (code.length) {
    case 2:
      return iso8583Reason(code);
    case 4:
      return qfpayReason(code);
    default:
      return octopusReason(Number(code));
  }
}
