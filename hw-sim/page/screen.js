import { $, partOf, partsOf, show } from './element.js';
/** @import { Terminal } from './types.ts' */

/**
 * A simulator at its usual port belongs to a terminal at its usual ports. Otherwise the terminal's address is unknown
 * until it is reported.
 */
const usualPort = '8090';

/**
 * The terminal's own page. It can be shown in a frame only if the terminal and this simulator were started together.
 * @type {(terminal: Terminal) => void}
 */
export function showScreen({ screen, isReported, framed }) {
  const known = screen !== undefined && (isReported || location.port === usualPort);
  for (const link of partsOf('.screen-link')) {
    link.hidden = !known;
    if (known && link instanceof HTMLAnchorElement) link.href = screen;
  }
  const frame = partOf('#screen-frame', HTMLIFrameElement);
  const shown = known && framed;
  $('#screen-glass').hidden = !shown;
  if (shown && frame.getAttribute('src') !== `${screen}/`) frame.src = `${screen}/`;
  $('#screen-note').hidden = shown;
  show($('#screen-note'), noteOf(known, screen));
}

/** @type {(known: boolean, screen: string | undefined) => string} */
function noteOf(known, screen) {
  if (!known) return 'The terminal has not said where its screen is.';
  return `The terminal shows its screen within this page only where “poid run --sim” started both. It should be at ${screen}.`;
}
