// The panels of the machine: its devices with what to do, the drawer, a test print, its network and its version.
import { back, fact, facts, tile } from './desk-parts.js';
import { element } from './element.js';
import { wordOf } from './label.js';
/** @import { Places } from './menu-types.ts' */
/** @import { DeskView, Fact, Words } from './types.ts' */

/** @type {Places<'devices' | 'about'>} */
export const machinePlaces = {
  devices({ devices, prints }, words, actions) {
    /** @type {Fact[]} */
    const rows = devices.flatMap(({ kind, name, condition }) => {
      const todo = wordOf(words.devices, `todo-${condition}`);
      return [
        fact(words.devices[kind], wordOf(words.devices, condition) ?? words.devices.failed),
        ...(todo === undefined ? [] : [fact(words.desk.todo, todo)]),
        ...(condition === 'ready' || condition === 'connecting' ? [] : [fact(words.desk.deviceName, name)]),
      ];
    });
    const tiles = [
      tile('receipt', words.desk.testPrint, actions.testPrint, 'test-print'),
      tile('CASH', words.desk.openDrawer, actions.drawerSure, 'open-drawer'),
    ];
    return {
      title: words.desk.devices,
      panel: element(
        'div',
        { id: 'waits' },
        facts(rows),
        ...(prints ? [element('div', { class: 'tiles' }, ...tiles)] : []),
      ),
      foot: [back(words, actions)],
    };
  },

  /** Anybody may see it; the addresses only who has logged in. */
  about({ shown, addresses = [], addressesUnknown = false }, words, actions) {
    /** @type {Fact[]} */
    const rows = [
      [words.desk.version, shown.version, 'version'],
      ...addresses.slice(0, 4).map((each) => fact(words.desk.address, each, 'address')),
      ...(addressesUnknown ? [fact(words.desk.address, words.desk.addressesUnknown, 'address')] : []),
      ...(shown.fingerprint === undefined ? [] : [fact(words.desk.fingerprint, shown.fingerprint, 'fingerprint')]),
      ...waitingFacts(shown.waiting, words.desk),
    ];
    return { title: words.desk.about, panel: facts(rows), foot: [back(words, actions)] };
  },
};

/** @type {(waiting: DeskView['waiting'], desk: Words['desk']) => Fact[]} */
function waitingFacts({ reversals, advices, rejected, unsendable, batches }, desk) {
  return [
    [desk.reversals, String(reversals), 'reversals'],
    [desk.advices, String(advices), 'advices'],
    [desk.rejections, String(rejected), 'rejections'],
    [desk.unsendables, String(unsendable), 'unsendable'],
    [desk.batches, String(batches), 'batches'],
  ];
}
