import type { WalletProfile } from '../../base/domain/wallet-profile.ts';
import { readPng, walletLogoBounds } from './picture-file.ts';

/**
 * The logos of wallets that are named in the configuration, by code. One that can't be used is left out, and `onFailure`
 * gets the reason: the wallet is shown by its name.
 */
export async function readWalletLogos(
  profiles: readonly WalletProfile[],
  onFailure: (error: Error) => void,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const logos = new Map<string, Uint8Array>();
  for (const { scheme, logo } of profiles) {
    if (logo === undefined) continue;
    try {
      logos.set(scheme, await readPng(logo, walletLogoBounds));
    } catch (error) {
      onFailure(new Error(`the logo of ${scheme} is left out: ${(error as Error).message}`));
    }
  }
  return logos;
}
