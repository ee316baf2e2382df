import type { ApprovalOption } from '../../payment/options/approval-option.ts';
import { Signing } from './signing.ts';

interface SignatureSettings {
  /** How long the customer may take to sign, and then the merchant to look at it. */
  readonly timeoutMs: number;
}

/** A signature on the screen (docs/decisions/0033-signature-after-the-payment.md). */
export function signatureOption({ timeoutMs }: SignatureSettings): ApprovalOption {
  return { name: 'signature', asks: 'approved', open: (parts) => new Signing(parts, timeoutMs) };
}
