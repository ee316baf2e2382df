import { $, element } from './element.js';
/** @import { State } from './types.ts' */

const findingsMax = 8;
const hexMax = 48;

/**
 * Bytes that a real device or host would not have understood: a fault of the terminal.
 * @type {(state: State) => void}
 */
export function showFindings({ reader, printer, scanner, octopus, hosts }) {
  const sources = Object.entries({ reader, printer, scanner, octopus, ...hosts });
  const all = sources.flatMap(([name, { unexpected }]) => unexpected.map((each) => ({ name, ...each })));
  $('#findings').hidden = all.length === 0;
  const items = all.slice(-findingsMax).map(({ name, why, hex }) => {
    const item = element('li', `${name}: ${why} `);
    item.append(element('code', hex.slice(0, hexMax)));
    return item;
  });
  if (all.length > findingsMax) items.unshift(element('li', `${all.length - findingsMax} before these`));
  $('#findings ul').replaceChildren(...items);
}
