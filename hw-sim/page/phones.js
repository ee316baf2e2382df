import { act, post } from './call.js';
import { $, button, element, onPress, show, showWaiting } from './element.js';
import { changeHost } from './host-mode.js';
import { hkdText } from './money.js';

/** Names of the wallets by code, as the host tells them. */
const names = new Map();

export function walletName(code) {
  return names.get(code) ?? code;
}

const customers = {
  pays: 'the customer pays',
  password: 'a password is asked for',
  processing: 'it takes a while',
  refuses: 'the customer refuses',
};

export function startPhones() {
  onPress($('#pay'), () => act('/api/wallet/pay', {}, 'Scan and pay'));
  onPress($('#confirm'), () => act('/api/wallet/confirm', {}, 'Password'));
  onPress($('#refuse'), () => act('/api/wallet/refuse', {}, 'Refuse'));
  const choice = $('#customer-choice');
  for (const [value, text] of Object.entries(customers)) {
    const option = element('option', text);
    option.value = value;
    choice.append(option);
  }
  choice.addEventListener('change', () => void changeHost('QR', { customer: choice.value }));
}

/** A phone for each wallet of the host, which never loses one while it runs. */
function addPhones(wallets) {
  for (const { code, name, showsCode } of wallets) {
    if (names.has(code)) continue;
    names.set(code, name);
    const phone = element('article', '', 'phone');
    phone.dataset.wallet = code;
    phone.append(element('h3', name));
    if (showsCode) {
      const made = button('Show to scanner', () => showCode(code, name));
      made.ariaLabel = `${name}: show to scanner`;
      phone.append(made);
    } else {
      phone.append(element('p', 'scans codes only'));
    }
    $('#wallets').append(phone);
  }
}

async function showCode(wallet, name) {
  const what = `${name}, show code`;
  const answer = await post('/api/wallet/code', { wallet }, what);
  if (answer) await act('/api/scanner/scan', { code: answer.code }, what);
}

export function showPhones({ scanner, hosts }) {
  const { onShow = null, askedForPassword = null, customer = 'pays', wallets = [] } = hosts.QR ?? {};
  addPhones(wallets);
  const name = onShow && walletName(onShow.wallet);
  show($('#on-show-text'), onShow ? `On the screen: ${name}, ${hkdText(onShow.amountMinor)}` : 'No code is on show.');
  $('#on-show').dataset.on = String(onShow !== null);
  $('#pay').disabled = onShow === null;
  $('#password').hidden = askedForPassword === null;
  $('#password').dataset.on = 'true';
  for (const phone of document.querySelectorAll('.phone')) {
    phone.dataset.onShow = String(phone.dataset.wallet === onShow?.wallet);
    const code = $('button', phone);
    if (code) code.disabled = !scanner.triggered;
  }
  const choice = $('#customer-choice');
  if (document.activeElement !== choice) choice.value = customer;
  showWaiting($('#phones'), onShow !== null || askedForPassword !== null || scanner.triggered);
}
