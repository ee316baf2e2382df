import { act, post } from './call.js';
import { $, button, element, onPress, partOf, partsOf, show, showWaiting } from './element.js';
import { changeHost, walletHost } from './host-mode.js';
import { hkdText } from './money.js';
/** @import { Phone, State } from './types.ts' */

/**
 * Names of the wallets by code, as the host reports them.
 * @type {Map<string, string>}
 */
const names = new Map();

/** @type {(code: string) => string} */
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
  const choice = partOf('#customer-choice', HTMLSelectElement);
  for (const [value, text] of Object.entries(customers)) {
    const option = element('option', text);
    option.value = value;
    choice.append(option);
  }
  choice.addEventListener('change', () => void changeHost('QR', { customer: choice.value }));
}

/**
 * A phone for each wallet of the host, which never loses one while it runs.
 * @type {(wallets: readonly Phone[]) => void}
 */
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

/** @type {(wallet: string, name: string) => Promise<void>} */
async function showCode(wallet, name) {
  const what = `${name}, show code`;
  const answer = await post('/api/wallet/code', { wallet }, what);
  if (answer) await act('/api/scanner/scan', { code: answer.code }, what);
}

/** @type {(state: Pick<State, 'scanner' | 'hosts'>) => void} */
export function showPhones({ scanner, hosts }) {
  const { onShow = null, askedForPassword = null, customer = 'pays', wallets = [] } = walletHost(hosts) ?? {};
  addPhones(wallets);
  const name = onShow && walletName(onShow.wallet);
  show($('#on-show-text'), onShow ? `On the screen: ${name}, ${hkdText(onShow.amountMinor)}` : 'No code is on show.');
  $('#on-show').dataset.on = String(onShow !== null);
  partOf('#pay', HTMLButtonElement).disabled = onShow === null;
  $('#password').hidden = askedForPassword === null;
  $('#password').dataset.on = 'true';
  for (const phone of partsOf('.phone')) {
    phone.dataset.onShow = String(phone.dataset.wallet === onShow?.wallet);
    const code = phone.querySelector('button');
    if (code) code.disabled = !scanner.triggered;
  }
  const choice = partOf('#customer-choice', HTMLSelectElement);
  if (document.activeElement !== choice) choice.value = customer;
  showWaiting($('#phones'), onShow !== null || askedForPassword !== null || scanner.triggered);
}
