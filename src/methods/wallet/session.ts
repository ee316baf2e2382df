import type { WalletScheme } from '../../base/domain/payment-scheme.ts';
import type { CodeScanner } from '../../base/ports/code-scanner.ts';
import { DeviceError } from '../../base/ports/device.ts';
import type { WalletProfile } from '../../base/domain/wallet-profile.ts';
import { walletOfCode } from '../../codecs/qr/wallet-code.ts';
import type { Authorization, Collecting } from '../../payment/transaction/machine.ts';
import { Arming, type MethodSession } from '../../payment/method/payment-method.ts';
import { endCollecting } from '../../payment/method/collecting.ts';
import type { Order } from '../../payment/method/order.ts';
import { authorizeWalletReference } from './by-reference.ts';
import type { WalletParts } from './parts.ts';
import { WalletPayment } from './payment.ts';

/** Finds the wallet of a customer's code: one that is scanned here, or else one that is known, to say that it is not. */
export function codeReader(profiles: readonly WalletProfile[]): (text: string) => WalletScheme | undefined {
  const codesOf = (isScanned: boolean) =>
    profiles.filter(({ scanned }) => (scanned !== undefined) === isScanned).map(({ codes }) => codes);
  const [here, elsewhere] = [codesOf(true), codesOf(false)];
  return (text) => walletOfCode(text, here) ?? walletOfCode(text, elsewhere);
}

interface CodeInput {
  readonly scanner: CodeScanner | undefined;
  readonly recognize: (text: string) => WalletScheme | undefined;
}

/** One payment by QR wallet: the customer's code is scanned, or a code is shown. */
export class WalletSession implements MethodSession {
  readonly code: WalletPayment;
  readonly #order: Order;
  readonly #parts: WalletParts;
  readonly #input: CodeInput;
  readonly #arming = new Arming();
  #scanned: { readonly scheme: WalletScheme; readonly text: string } | undefined;

  constructor(order: Order, parts: WalletParts, input: CodeInput) {
    this.#order = order;
    this.#parts = parts;
    this.#input = input;
    this.code = new WalletPayment(order, parts);
  }

  async collect(_mode: string, signal: AbortSignal): Promise<Collecting> {
    const { scanner, recognize } = this.#input;
    if (!scanner) throw new DeviceError('absent', 'this terminal has no scanner');
    const outcome = await this.#arming.arm(scanner.scan(signal));
    if (outcome.kind === 'cancelled') return endCollecting({ kind: 'cancelled', by: 'customer' });
    const scheme = outcome.kind === 'code' ? recognize(outcome.text) : undefined;
    if (outcome.kind !== 'code' || !scheme) return { kind: 'again', hint: 'notAWalletCode' };
    this.#scanned = { scheme, text: outcome.text };
    return { kind: 'collected' };
  }

  async authorize(): Promise<Authorization> {
    if (!this.#scanned) throw new Error('no code was scanned');
    return this.code.payScanned(this.#scanned.scheme, this.#scanned.text);
  }

  authorizeByReference(): Promise<Authorization> {
    return authorizeWalletReference(this.#order, this.#parts);
  }

  disarm(): Promise<void> {
    return this.#arming.disarm();
  }

  async forget(): Promise<void> {
    this.#scanned = undefined;
  }
}
