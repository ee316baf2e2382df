import type { OtherCode } from './payment-scheme.ts';

/** How the payment app starts: `preferredEntryMode` of a request. */
export const preferredEntryModes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'CASH', 'DEFAULT'] as const;
export type PreferredEntryMode = (typeof preferredEntryModes)[number];

/** How the terminal collects a payment, as the merchant chooses on the screen. A method may add its own mode. */
export const collectModes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'] as const;
export type CollectMode = (typeof collectModes)[number] | (string & NonNullable<unknown>);

/** How a card was read: `entryMode` of an answer. */
export const cardEntryModes = ['CONTACTLESS', 'CHIP', 'MAGSTRIPE', 'FALLBACK', 'MANUAL'] as const;
export type CardEntryMode = (typeof cardEntryModes)[number];

export const walletEntryModes = ['QR_SCAN', 'QR_PRESENT'] as const;
export type WalletEntryMode = (typeof walletEntryModes)[number];

/** The entry modes of SPEC §2.3. A payment method may add its own. */
export const knownEntryModes = [...cardEntryModes, ...walletEntryModes, 'CASH', 'OCTOPUS'] as const;
export type KnownEntryMode = (typeof knownEntryModes)[number];
export type EntryMode = KnownEntryMode | OtherCode;

export function isKnownEntryMode(entryMode: string): entryMode is KnownEntryMode {
  return (knownEntryModes as readonly string[]).includes(entryMode);
}
