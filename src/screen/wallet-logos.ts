import type { ScreenView } from '../payment/contracts/screen.ts';
import type { PageFile } from './page-file.ts';

/** Logos of wallets, as files of the page. */
export class WalletLogos {
  readonly files: ReadonlyMap<string, PageFile>;
  readonly #paths: ReadonlyMap<string, string>;

  /** `logos`: PNGs by the codes of wallets. */
  constructor(logos: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#paths = new Map([...logos.keys()].map((scheme) => [scheme, `/wallet-logos/${scheme}.png`]));
    this.files = new Map(
      [...logos].map(([scheme, bytes]) => [
        `/wallet-logos/${scheme}.png`,
        { type: 'image/png', read: async () => bytes },
      ]),
    );
  }

  /** What a view with a choice of wallets shows of them. */
  of({ wallets = [] }: ScreenView): { readonly logos?: Readonly<Record<string, string>> } {
    const found = wallets.flatMap((scheme) => {
      const path = this.#paths.get(scheme);
      return path === undefined ? [] : [[scheme, path] as const];
    });
    return found.length === 0 ? {} : { logos: Object.fromEntries(found) };
  }
}
