// The panels of the machine: its devices with remedies, the drawer, a test print, its network and its version.
import { back, fact, facts, tile } from './menu-parts.js';
import { element } from './element.js';
import { wordOf } from './label.js';
/** @import { Places } from './menu-types.ts' */
/** @import { MenuView, Fact, Words } from './types.ts' */

/** @type {Places<'devices' | 'about'>} */
export const machinePlaces = {
  devices({ devices, prints }, words, actions) {
    /** @type {Fact[]} */
    const rows = devices.flatMap(({ kind, name, condition }) => {
      const todo = wordOf(words.devices, `todo-${condition}`);
      return [
        fact(words.devices[kind], wordOf(words.devices, condition) ?? words.devices.failed),
        ...(todo === undefined ? [] : [fact(words.menu.todo, todo)]),
        ...(condition === 'ready' || condition === 'connecting' ? [] : [fact(words.menu.deviceName, name)]),
      ];
    });
    const tiles = [
      tile('receipt', words.menu.testPrint, actions.testPrint, 'test-print'),
      tile('CASH', words.menu.openDrawer, actions.drawerSure, 'open-drawer'),
    ];
    return {
      title: words.menu.devices,
      panel: element(
        'div',
        { id: 'waits' },
        facts(rows),
        ...(prints ? [element('div', { class: 'tiles' }, ...tiles)] : []),
      ),
      foot: [back(words, actions)],
    };
  },

  /** Visible without a login, except the addresses. */
  about({ shown, addresses = [], addressesUnknown = false }, words, actions) {
    /** @type {Fact[]} */
    const rows = [
      [words.menu.version, shown.version, 'version'],
      ...addresses.slice(0, 4).map((each) => fact(words.menu.address, each, 'address')),
      ...(addressesUnknown ? [fact(words.menu.address, words.menu.addressesUnknown, 'address')] : []),
      ...(shown.fingerprint === undefined ? [] : [fact(words.menu.fingerprint, shown.fingerprint, 'fingerprint')]),
      ...waitingFacts(shown.waiting, words.menu),
    ];
    return { title: words.menu.about, panel: facts(rows), foot: [back(words, actions)] };
  },
};

/** @type {(waiting: MenuView['waiting'], menu: Words['menu']) => Fact[]} */
function waitingFacts({ reversals, advices, rejected, unsendable, batches }, menu) {
  return [
    [menu.reversals, String(reversals), 'reversals'],
    [menu.advices, String(advices), 'advices'],
    [menu.rejections, String(rejected), 'rejections'],
    [menu.unsendables, String(unsendable), 'unsendable'],
    [menu.batches, String(batches), 'batches'],
  ];
}
