import { walletProfiles } from '../../src/methods/wallet/settings/profiles.ts';

/** The wallets of a terminal whose configuration says nothing of them. */
export const wallets = walletProfiles();

/** Those of a terminal whose configuration names pay types, and no other wallets. */
export const walletsOf = (named: Parameters<typeof walletProfiles>[1]) => walletProfiles({}, named);
