import { $, element, onPress, show } from './element.js';
import { addCall, showApi } from './till-calls.js';
import { makeTillForm } from './till-form.js';

const currencies = ['HKD', 'CNY', 'USD', 'JPY', 'KWD'];

export function startTill() {
  const form = $('#sell');
  form.currency.append(...currencies.map((name) => element('option', name)));
  const [field, button] = [form.amount, $('button', form)];
  const label = () => show(button, `Sell ${form.currency.value} ${field.value}`);
  form.addEventListener('input', label);
  label();
  form.addEventListener('submit', (event) => event.preventDefault());
  // Another press is another sale: the first one's answer may be minutes away.
  button.addEventListener('click', () => {
    if (!form.reportValidity()) return;
    void addCall('payment', {
      transactionType: 'SALE',
      requestAmount: Number(field.value),
      currency: form.currency.value,
    });
  });
  const more = makeTillForm($('#till-form'), currencies);
  onPress($('#till-form button'), () => more.send());
}

/** Where the terminal is may become known later than this page. */
export function showTill({ api }) {
  showApi(api);
}
