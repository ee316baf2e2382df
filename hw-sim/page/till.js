import { $, element, onPress, partOf, show } from './element.js';
import { addCall, showApi } from './till-calls.js';
import { makeTillForm } from './till-form.js';
/** @import { Terminal } from './types.ts' */

const currencies = ['HKD', 'CNY', 'USD', 'JPY', 'KWD'];

export function startTill() {
  const form = partOf('#sell', HTMLFormElement);
  const currency = partOf('[name="currency"]', HTMLSelectElement, form);
  currency.append(...currencies.map((name) => element('option', name)));
  const field = partOf('[name="amount"]', HTMLInputElement, form);
  const button = $('button', form);
  const label = () => show(button, `Sell ${currency.value} ${field.value}`);
  form.addEventListener('input', label);
  label();
  form.addEventListener('submit', (event) => event.preventDefault());
  // Another press is another sale: the first one's answer may be minutes away.
  button.addEventListener('click', () => {
    if (!form.reportValidity()) return;
    void addCall('payment', {
      transactionType: 'SALE',
      requestAmount: Number(field.value),
      currency: currency.value,
    });
  });
  const more = makeTillForm(partOf('#till-form', HTMLFormElement), currencies);
  onPress($('#till-form button'), () => more.send());
}

/**
 * The terminal's address may become known after this page was loaded.
 * @type {(terminal: Terminal) => void}
 */
export function showTill({ api }) {
  showApi(api);
}
