/** The languages of the customer's screen, as BCP 47 names them. */
export const screenLanguages = ['en', 'zh-Hant', 'zh-Hans', 'pt'] as const;
export type ScreenLanguage = (typeof screenLanguages)[number];

/** Where the customer finds the card reader, seen from the display. */
export const readerPositions = ['left', 'right', 'above', 'below'] as const;
export type ReaderPosition = (typeof readerPositions)[number];

/** How a terminal's screen speaks to its customers. */
export interface ScreenStyle {
  /** Those that the customer may choose, the first one shown at the start. */
  readonly languages: readonly ScreenLanguage[];
  readonly readerPosition?: ReaderPosition | undefined;
}

export const plainStyle: ScreenStyle = { languages: screenLanguages };
