import type { Configuration } from '../../config/configuration.ts';
import { knownWallets } from '../../config/wallet-profiles.ts';
import type { CashDrawer } from '../../pos/peripherals/cash-drawer.ts';
import type { CardMeans } from '../../methods/card/method.ts';
import { cardMethod } from '../../methods/card/method.ts';
import { cashMethod } from '../../methods/cash/method.ts';
import { epsMethod } from '../../methods/eps/method.ts';
import type { OpenedMethod } from '../../payment/method/payment-method-module.ts';
import { Methods } from '../../payment/method/methods.ts';
import { octopusMethod } from '../../methods/octopus/method.ts';
import type { OctopusWaits } from '../../methods/octopus/parts.ts';
import type { PaymentMethod } from '../../payment/method/payment-method.ts';
import { walletMethod, type WalletMeans } from '../../methods/wallet/method.ts';
import type { WalletWaits } from '../../methods/wallet/parts.ts';
import type { OctopusReader } from '../../base/ports/octopus-reader.ts';
import type { Acquirers } from './acquirers.ts';
import type { Devices } from './devices.ts';

/** The parts that the methods use. Without an Octopus reader there is no Octopus. */
export interface MethodMeans extends CardMeans, Pick<WalletMeans, 'wallets' | 'profiles' | 'scanner'> {
  readonly octopus: OctopusReader | undefined;
  /** Opens the cash drawer; undefined without a printer that can. */
  readonly openDrawer: (() => Promise<unknown>) | undefined;
  readonly waits: WalletWaits & OctopusWaits;
  /** Methods added to this terminal (rooms.ts). */
  readonly more?: readonly PaymentMethod[];
}

/** The payment methods, in the order in which they are offered to the merchant. A new one is a line here. */
export function openMethods({
  reader,
  cardAcquirers,
  wallets,
  profiles,
  scanner,
  octopus,
  openDrawer,
  waits,
  more,
}: MethodMeans): Methods {
  return new Methods([
    cardMethod({ reader, cardAcquirers }),
    walletMethod({ wallets, profiles, waits, scanner }),
    ...(octopus ? [octopusMethod({ octopus, waits })] : []),
    epsMethod({ reader, cardAcquirers, openDrawer }),
    cashMethod({ openDrawer }),
    ...(more ?? []),
  ]);
}

/** The payment methods, with the devices of this terminal. */
export function makeMethods(
  configuration: Configuration,
  { cardAcquirers, wallets }: Acquirers,
  octopus: OctopusReader | undefined,
  { reader, scanner }: Devices,
  drawer: CashDrawer | undefined,
  rooms: readonly OpenedMethod[],
): Methods {
  const { walletPollMs, walletResolveMs, octopusIncompleteMs, octopusSilentMs, octopusRetryMs } =
    configuration.timeouts;
  return openMethods({
    reader,
    cardAcquirers,
    wallets,
    profiles: knownWallets(configuration),
    scanner,
    octopus,
    openDrawer: drawer && (() => drawer.openForSale()),
    waits: { walletPollMs, walletResolveMs, octopusIncompleteMs, octopusSilentMs, octopusRetryMs },
    more: rooms.map(({ method }) => method),
  });
}
