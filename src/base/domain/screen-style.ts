/** The languages of the customer's screen, as BCP 47 names them. */
export const screenLanguages = ['en', 'zh-Hant', 'zh-Hans', 'pt'] as const;
export type ScreenLanguage = (typeof screenLanguages)[number];

/** Where the customer finds the card reader, seen from the display. */
export const readerPositions = ['left', 'right', 'above', 'below'] as const;
export type ReaderPosition = (typeof readerPositions)[number];

/** auto: as the browser's system is set. */
export const screenContrasts = ['auto', 'high'] as const;
export const screenTexts = ['normal', 'large'] as const;

/** A shop's own colours, '#0d2747'. */
export interface ScreenColours {
  /** Behind the amount. */
  readonly band?: string | undefined;
  /** Of drawings. */
  readonly accent?: string | undefined;
}

/** Languages, colours and sounds of a terminal's screen. */
export interface ScreenStyle {
  /** Those that the customer may choose, the first one shown at the start. */
  readonly languages: readonly ScreenLanguage[];
  readonly readerPosition?: ReaderPosition | undefined;
  readonly contrast?: (typeof screenContrasts)[number];
  readonly text?: (typeof screenTexts)[number];
  /** A short sound with an outcome, and when the customer must do something at once. */
  readonly sounds?: boolean;
  readonly colours?: ScreenColours;
  /** Where the shop's logo is on this server; absent if it has none. */
  readonly logo?: string;
}

export const plainStyle: ScreenStyle = { languages: screenLanguages };
