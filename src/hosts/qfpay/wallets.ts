import type { WalletScheme } from '../../base/domain/payment-scheme.ts';
import type { WalletProfile } from '../../base/domain/wallet-profile.ts';

/** The host's parameters of a wallet. */
export type HostWallet = Pick<WalletProfile, 'scheme' | 'scanned' | 'presented' | 'closing'>;

/** The wallets of one merchant at the host, by code. */
export class HostWallets {
  readonly #wallets: ReadonlyMap<WalletScheme, HostWallet>;

  constructor(wallets: readonly HostWallet[]) {
    this.#wallets = new Map(wallets.map((wallet) => [wallet.scheme, wallet]));
  }

  /** Wallets whose codes can be scanned, in order. */
  get scanned(): readonly WalletScheme[] {
    return this.#schemes(({ scanned }) => scanned !== undefined);
  }

  get presented(): readonly WalletScheme[] {
    return this.#schemes(({ presented }) => presented !== undefined);
  }

  of(scheme: WalletScheme): HostWallet | undefined {
    return this.#wallets.get(scheme);
  }

  #schemes(is: (wallet: HostWallet) => boolean): readonly WalletScheme[] {
    return [...this.#wallets.values()].filter(is).map(({ scheme }) => scheme);
  }
}
