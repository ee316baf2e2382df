import type { Bug } from '../bug.ts';

/** Bugs of the wallet: what its host says, and how an order is undone. */
export const walletBugs: readonly Bug[] = [
  {
    name: 'an order that the wallet does not know is left open',
    file: 'src/terminal/wallet/undo.ts',
    from: '      return neverCame(await host.close({ ...order, scheme }), order, host);',
    to: '      return true;',
  },
  {
    name: 'what the wallet was paid is not given back',
    file: 'src/terminal/wallet/undo.ts',
    from: '      return givenBack(order, finding.hostNumber, host, clock);',
    to: '      return clock !== undefined;',
  },
];
