import { $, show } from './element.js';

/** Why a call was refused, in one line over the foot of the page. */
export function tell(text) {
  show($('#message p'), text);
  $('#message').hidden = text === '';
}

$('#message-close').addEventListener('click', () => tell(''));
