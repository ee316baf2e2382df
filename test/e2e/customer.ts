import assert from 'node:assert/strict';
import type { HostName, Json, Paying, Stage } from './stage.ts';

export type CardName = 'visa' | 'mastercard' | 'amex' | 'jcb' | 'unionpay';
/** A wallet that the simulated host has without being told, or one of `--wallets`. */
export type Wallet = 'ALIPAY' | 'WECHAT' | 'FPS' | 'UPI_QR' | 'TESTPAY' | 'WALLET_HK' | 'WALLET_CN';
export type OctopusName = 'octopus' | 'octopus-other' | 'octopus-low' | 'octopus-blocked';
export type AcquirerName = HostName | 'OCTOPUS' | 'CASH';

/** The PIN of fixtures/cards/eps.json. */
export const epsPin = '1357';

/** One way to pay, and the expected answer to the POS. */
export interface Way extends Paying {
  readonly name: string;
  /** As `paymentMethod` tells it. */
  readonly method: string;
  /** As `entryMode` tells it. */
  readonly entryMode: string;
  readonly acquirer: AcquirerName;
  /** The card, or the wallet, that is named in the books; empty for cash. */
  readonly instrument: string;
}

const brands: Readonly<Record<CardName, string>> = {
  visa: 'VISA',
  mastercard: 'MASTER',
  amex: 'AMEX',
  jcb: 'JCB',
  unionpay: 'UNIONPAY',
};

const cardEntries = {
  tap: { entryMode: 'CONTACTLESS', present: (stage: Stage, card: string) => stage.tap(card) },
  insert: { entryMode: 'CHIP', present: (stage: Stage, card: string) => stage.insert(card) },
  fallback: {
    entryMode: 'FALLBACK',
    // After an unreadable chip the customer must use the stripe.
    present: async (stage: Stage, card: string) => {
      await stage.fault('reader', { chipFails: true });
      await stage.insert(card);
      await stage.swipe(card);
    },
  },
} as const;
export type CardEntry = keyof typeof cardEntries;

export function byCard(card: CardName, entry: CardEntry = 'tap'): Way {
  const { entryMode, present } = cardEntries[entry];
  return {
    name: `${brands[card]} ${entryMode}`,
    method: brands[card],
    entryMode,
    acquirer: card === 'unionpay' ? 'CUP' : 'EDC',
    instrument: card,
    request: {},
    present: (stage) => present(stage, card),
  };
}

/** The customer's own code is scanned. */
export function byScannedCode(wallet: Exclude<Wallet, 'FPS'>): Way {
  return {
    ...wayOf(wallet, 'QR_SCAN'),
    request: { preferredEntryMode: 'QR_SCAN' },
    present: async (stage) => stage.scan(await stage.walletCode(wallet)),
  };
}

/** The customer scans the code on the screen. */
export function byShownCode(wallet: Wallet): Way {
  return {
    ...wayOf(wallet, 'QR_PRESENT'),
    request: { preferredEntryMode: 'QR_PRESENT', preferredInstrument: wallet },
    present: async (stage) => {
      const view = await shown(stage, 'QR_PRESENT');
      await stage.payCode(view.wallet === wallet ? view.code : (await showing(stage, wallet, view)).code);
    },
  };
}

/** The merchant asks for another wallet's code. */
async function showing(stage: Stage, wallet: Wallet, { transaction }: Json): Promise<Json> {
  await stage.action(transaction, { kind: 'wallet', scheme: wallet });
  return stage.view((view) => view.wallet === wallet && view.code);
}

function wayOf(
  wallet: Wallet,
  entryMode: string,
): Pick<Way, 'name' | 'method' | 'entryMode' | 'acquirer' | 'instrument'> {
  return { name: `${wallet} ${entryMode}`, method: wallet, entryMode, acquirer: 'QR', instrument: wallet };
}

export function byOctopus(card: OctopusName = 'octopus'): Way {
  return {
    name: 'OCTOPUS',
    method: 'OCTOPUS',
    entryMode: 'OCTOPUS',
    acquirer: 'OCTOPUS',
    instrument: card,
    request: { preferredInstrument: 'OCTOPUS' },
    present: (stage) => stage.tapOctopus(card),
  };
}

export function byEps(account: 'SAVINGS' | 'CURRENT' = 'SAVINGS', pin: string = epsPin): Way {
  return {
    name: `EPS ${account}`,
    method: 'EPS',
    entryMode: 'MAGSTRIPE',
    acquirer: 'EPS',
    instrument: account,
    request: { preferredInstrument: 'EPS' },
    present: async (stage) => {
      await stage.swipe('eps');
      await stage.act('chooseAccount', { kind: 'account', account });
      await stage.enterPin(pin);
    },
  };
}

/** `tendered`: major units as text; by default the exact sum. */
export function byCash(tendered?: string): Way {
  return {
    name: 'CASH',
    method: 'CASH',
    entryMode: 'CASH',
    acquirer: 'CASH',
    instrument: '',
    request: { preferredEntryMode: 'CASH' },
    present: async (stage) => {
      const view = await stage.view(({ scene }) => scene === 'tenderCash');
      await stage.action(view.transaction, { kind: 'tender', amount: tendered ?? view.amount });
    },
  };
}

const scenes = {
  CARD: 'presentCard',
  QR_SCAN: 'scanCode',
  QR_PRESENT: 'presentCode',
  OCTOPUS: 'tapOctopus',
  EPS: 'presentCard',
  CASH: 'tenderCash',
} as const;
export type Mode = keyof typeof scenes;
export const modes = Object.keys(scenes) as Mode[];

/** Waits until the page shows this mode, and its code if it has one. */
export function shown(stage: Stage, mode: Mode): Promise<Json> {
  return stage.view(
    (view) => view.mode === mode && view.scene === scenes[mode] && (mode !== 'QR_PRESENT' || view.code),
  );
}

/** The merchant changes to another method on the page. */
export async function choose(stage: Stage, mode: Mode): Promise<Json> {
  const { transaction } = await stage.view(({ modes: offered }) => offered?.includes(mode));
  await stage.action(transaction, { kind: 'choose', mode });
  return shown(stage, mode);
}

/** The fields of `transactionResult` that say how it was paid. */
export function assertPaidBy(way: Way, result: Json): void {
  assert.deepEqual(
    [result.paymentMethod, result.entryMode, result.acquirerId],
    [way.method, way.entryMode, way.acquirer],
    way.name,
  );
}
