import type { PresentedOrder } from '../../payment/contracts/wallet-host.ts';
import { asksFor, parseMerchantPresented } from '../../codecs/qr/merchant-presented.ts';

/** Payload format indicator. No web address begins so. */
const emvcoBegin = '000201';

/**
 * `isEmvco`: the wallet's code is always an EMVCo payload. The text to draw; undefined if it can't belong to this order. An EMVCo payload must be complete and ask for this
 * amount in this currency. Any other text (String(512), published) can't be checked further.
 */
export function checkPresentedCode(order: PresentedOrder, qrcode: unknown, isEmvco: boolean): string | undefined {
  if (typeof qrcode !== 'string' || qrcode === '' || Array.from(qrcode).length > 512) return undefined;
  if (!isEmvco && !qrcode.startsWith(emvcoBegin)) {
    return /^[\x21-\x7e]+$/.test(qrcode) ? qrcode : undefined;
  }
  const code = parseMerchantPresented(qrcode);
  return code.kind === 'code' && asksFor(code, order.amount) ? qrcode : undefined;
}
