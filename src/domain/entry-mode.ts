/** How the payment app shall start: `preferredEntryMode` of a request. */
export const preferredEntryModes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'CASH', 'DEFAULT'] as const;

/** How a card was read: `entryMode` of an answer. */
export type CardEntryMode = 'CONTACTLESS' | 'CHIP' | 'MAGSTRIPE' | 'FALLBACK' | 'MANUAL';

export type EntryMode = CardEntryMode | 'QR_SCAN' | 'QR_PRESENT' | 'CASH' | 'OCTOPUS';
