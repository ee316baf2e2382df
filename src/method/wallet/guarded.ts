import { UnsendableOrder } from '../../ports/acquirer-host.ts';
import type { WalletHost } from '../../ports/wallet-host.ts';

type Unhappened = { readonly kind: 'notSent'; readonly reason: 'unsendable' };
type Unknown = { readonly kind: 'unknown'; readonly reason: 'interrupted' };

/**
 * A host whose adapter may break its promise: what makes no request is not sent, and after any other error nobody knows. So a payment
 * whose intent is written always comes to an outcome.
 */
export function guarded(
  host: WalletHost,
  onFailure: ((error: unknown) => void) | undefined,
): Pick<WalletHost, 'pay' | 'present' | 'refund' | 'enquire' | 'close' | 'reverseRefund'> {
  const moved = <T>(call: Promise<T>): Promise<T | Unhappened | Unknown> =>
    call.catch((error: unknown) => {
      onFailure?.(error);
      if (error instanceof UnsendableOrder) return { kind: 'notSent', reason: 'unsendable' } as const;
      return { kind: 'unknown', reason: 'interrupted' } as const;
    });
  const said = <T, Silence>(call: Promise<T>, silence: Silence): Promise<T | Silence> =>
    call.catch((error: unknown) => {
      onFailure?.(error);
      return silence;
    });
  return {
    pay: (order) => moved(host.pay(order)),
    present: (order) => moved(host.present(order)),
    refund: (order) => moved(host.refund(order)),
    enquire: (order) => said(host.enquire(order), { kind: 'unknown' } as const),
    close: (order) => said(host.close(order), { kind: 'unanswered' } as const),
    reverseRefund: (order) => said(host.reverseRefund(order), { kind: 'unanswered' } as const),
  };
}
