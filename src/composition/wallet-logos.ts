import type { WalletProfile } from '../domain/wallet-profile.ts';
import { readPng } from './picture-file.ts';

/** The screen sends each with every page, and decodes it: no phone company's logo needs more. */
const bounds = { bytesMax: 65_536, dotsMax: 512 };

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
      logos.set(scheme, await readPng(logo, bounds));
    } catch (error) {
      onFailure(new Error(`the logo of ${scheme} is left out: ${(error as Error).message}`));
    }
  }
  return logos;
}
