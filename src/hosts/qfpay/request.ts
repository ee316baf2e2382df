import type { Amount } from '../../base/domain/amount.ts';
import type {
  PresentedOrder,
  ScannedOrder,
  WalletOrder,
  WalletRefundOrder,
} from '../../payment/contracts/wallet-host.ts';
import { hostDateTime } from './host-time.ts';
import { qfpayLimits } from './limits.ts';
import type { Span } from './months.ts';
import type { QfpayOptions } from './options.ts';
import type { Parameters } from './signature.ts';
import type { HostWallet } from './wallets.ts';

/**
 * Builds one terminal's calls. Each method throws RangeError for an order that can't be encoded; the message names no
 * value.
 */
export class Requests {
  readonly #options: QfpayOptions;

  constructor(options: QfpayOptions) {
    this.#options = options;
  }

  payment(order: ScannedOrder, wallet: HostWallet | undefined): Parameters {
    return { ...this.#payment(order, wallet?.scanned?.payType), auth_code: checkCode(order.authCode) };
  }

  presentation(order: PresentedOrder, wallet: HostWallet | undefined): Parameters {
    const { codeMinutes = 5 } = this.#options;
    const { payType, payTag, canExpire = false } = wallet?.presented ?? {};
    return {
      ...this.#payment(order, payType),
      ...(payTag === undefined ? {} : { pay_tag: payTag }),
      ...(canExpire ? { expired_time: String(codeMinutes) } : {}),
    };
  }

  /** Enquires by the order's own number. Without a span, the host searches its current month (published). */
  enquiry({ tradeNo }: WalletOrder, span?: Span): Parameters {
    const time = span ? { start_time: span.start, end_time: span.end } : {};
    return { ...this.#merchant(), out_trade_no: checkNumber(tradeNo), ...time };
  }

  refund(order: WalletRefundOrder): Parameters {
    return { ...this.#order(order), syssn: checkNumber(order.originalNumber) };
  }

  /** `txdtm` is the order's own. */
  closing(order: WalletOrder): Parameters {
    return this.#order(order);
  }

  #payment(order: PresentedOrder, payType: string | undefined): Parameters {
    if (payType === undefined) throw new RangeError('this wallet is not offered');
    return { ...this.#order(order), pay_type: payType, txcurrcd: order.amount.currency };
  }

  #order({ tradeNo, amount, at }: WalletOrder): Parameters {
    return {
      ...this.#merchant(),
      out_trade_no: checkNumber(tradeNo),
      txamt: minorDigits(amount),
      txdtm: this.#time(at),
      udid: this.#options.tid,
    };
  }

  #merchant(): Parameters {
    const { mchid } = this.#options;
    return mchid === undefined ? {} : { mchid };
  }

  #time(at: Date): string {
    return hostDateTime(at, this.#options.timeZone);
  }
}

/** `txamt`, Int(11) (published). */
export function minorDigits({ minor }: Amount): string {
  if (minor <= 0n || minor > qfpayLimits.mostMinor) throw new RangeError('not an amount of 1 to 11 digits');
  return minor.toString();
}

/** `out_trade_no` and `syssn`. Commas are refused: one would name two orders in an enquiry. */
function checkNumber(text: string): string {
  if (!/^[\dA-Za-z_-]{1,128}$/.test(text))
    throw new RangeError("an order number is 1 to 128 letters, digits, '-' or '_'");
  return text;
}

/** A scanner's line: printable ASCII, 512 characters at most. */
function checkCode(text: string): string {
  if (!/^[\x20-\x7e]{1,512}$/.test(text)) throw new RangeError('a code is 1 to 512 printable characters');
  return text;
}
