import { $, show } from './element.js';

/**
 * Shows why a call was refused, in one line at the bottom of the page.
 * @type {(text: string) => void}
 */
export function showMessage(text) {
  show($('#message p'), text);
  $('#message').hidden = text === '';
}

$('#message-close').addEventListener('click', () => showMessage(''));
