import { UnsendableOrder } from '../../payment/contracts/acquirer-host.ts';
import type { WalletHost } from '../../payment/contracts/wallet-host.ts';

type NotSent = { readonly kind: 'notSent'; readonly reason: 'unsendable' };
type Unknown = { readonly kind: 'unknown'; readonly reason: 'interrupted' };

/**
 * Wraps a host against errors of its adapter. UnsendableOrder means that nothing was sent; after any other error the
 * outcome is unknown. So a payment with an intent always reaches an outcome.
 */
export function guard(
  host: WalletHost,
  onFailure: ((error: unknown) => void) | undefined,
): Pick<WalletHost, 'pay' | 'present' | 'refund' | 'enquire' | 'close' | 'reverseRefund'> {
  const guardMoney = <T>(call: Promise<T>): Promise<T | NotSent | Unknown> =>
    call.catch((error: unknown) => {
      onFailure?.(error);
      if (error instanceof UnsendableOrder) return { kind: 'notSent', reason: 'unsendable' } as const;
      return { kind: 'unknown', reason: 'interrupted' } as const;
    });
  const guardWord = <T, Silence>(call: Promise<T>, silence: Silence): Promise<T | Silence> =>
    call.catch((error: unknown) => {
      onFailure?.(error);
      return silence;
    });
  return {
    pay: (order) => guardMoney(host.pay(order)),
    present: (order) => guardMoney(host.present(order)),
    refund: (order) => guardMoney(host.refund(order)),
    enquire: (order) => guardWord(host.enquire(order), { kind: 'unknown' } as const),
    close: (order) => guardWord(host.close(order), { kind: 'unanswered' } as const),
    reverseRefund: (order) => guardWord(host.reverseRefund(order), { kind: 'unanswered' } as const),
  };
}
