/**
 * A text of combining marks in the order that normalization takes longest to sort: those of class 230, then those of
 * class 1 (UAX #15). Its skeleton takes seconds.
 */
export const quadraticName = `a${'\u0344'.repeat(14_000)}${'\u0334'.repeat(14_000)}`;
