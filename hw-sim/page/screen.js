import { $, show } from './element.js';

/** A simulator at its usual port belongs to a terminal at its usual ports; of another one nobody knows before it is told. */
const usualPort = '8090';

/** The terminal's own page. It lets itself be shown here where the terminal and this simulator were started together. */
export function showScreen({ screen, told, framed }) {
  const known = screen !== undefined && (told || location.port === usualPort);
  for (const link of document.querySelectorAll('.screen-link')) {
    link.hidden = !known;
    if (known) link.href = screen;
  }
  const frame = $('#screen-frame');
  const shown = known && framed;
  $('#screen-glass').hidden = !shown;
  if (shown && frame.getAttribute('src') !== `${screen}/`) frame.src = `${screen}/`;
  $('#screen-note').hidden = shown;
  show($('#screen-note'), noteOf(known, screen));
}

function noteOf(known, screen) {
  if (!known) return 'The terminal has not said where its screen is.';
  return `The terminal shows its screen within this page only where “poid run --sim” started both. It should be at ${screen}.`;
}
