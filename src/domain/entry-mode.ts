/** How the payment app shall start: `preferredEntryMode` of a request. */
export const preferredEntryModes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'CASH', 'DEFAULT'] as const;

/** What the merchant chooses on the screen: how the terminal is to collect the payment. */
export const collectModes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'] as const;
export type CollectMode = (typeof collectModes)[number];

/** How a card was read: `entryMode` of an answer. */
export type CardEntryMode = 'CONTACTLESS' | 'CHIP' | 'MAGSTRIPE' | 'FALLBACK' | 'MANUAL';

export type WalletEntryMode = 'QR_SCAN' | 'QR_PRESENT';

export type EntryMode = CardEntryMode | WalletEntryMode | 'CASH' | 'OCTOPUS';
