// The configured style of this terminal's pages, as the terminal serves it.
/** @import { PageStyle } from './types.ts' */

/** @type {PageStyle} */
export const style = await (await fetch('style.json')).json();
