import type { Bug } from '../bug.ts';

/** Bugs of what a till does with printer, drawer and idle screen. */
export const counterBugs: readonly Bug[] = [
  {
    name: 'a till’s job is printed in the middle of a receipt',
    test: 'test/drivers/printer/drawer.test.ts',
    file: 'drivers/printer/escpos/printer.ts',
    from: 'return await this.#inTurn(async () => this.#print(await job, options?.onBegin));',
    to: 'return await this.#print(await job, options?.onBegin);',
  },
  {
    name: 'a till’s job is printed before the receipts that wait',
    test: 'test/counter/print-queue.test.ts',
    file: 'src/counter/print-queue.ts',
    from: 'await receipts.tryNow();',
    to: 'void receipts;',
  },
  {
    name: 'what a till prints does not tell that it is no payment slip',
    test: 'test/counter/till-lines.test.ts',
    file: 'src/counter/till-lines.ts',
    from: 'fit([...heading, ...piece, ...footing], columns)',
    to: 'fit(piece, columns)',
  },
  {
    name: 'a till without a key opens the drawer',
    test: 'test/api/drawer.test.ts',
    file: 'src/api/admission.ts',
    from: 'if (!authenticator || openPaths.has(path)) return unsigned;',
    to: "if (!authenticator || openPaths.has(path) || path.endsWith('/open')) return unsigned;",
  },
  {
    name: 'a till opens the drawer although the configuration forbids it',
    test: 'test/counter/till-drawer.test.ts',
    file: 'src/counter/till-drawer.ts',
    from: 'if (this.refusal || !printer) return',
    to: 'if (!printer) return',
  },
  {
    name: 'the refunds of a report on paper are added to what was taken',
    test: 'test/receipt/report.test.ts',
    file: 'src/receipt/report.ts',
    from: "money('-', refunds.total)",
    to: "money('', refunds.total)",
  },
  {
    name: 'what a till shows hides a running payment',
    test: 'test/counter/idle-display.test.ts',
    file: 'src/counter/idle-display.ts',
    from: 'this.#screen.show(isIdle && this.#till ? { ...this.#view, till: this.#till } : this.#view);',
    to: "this.#screen.show(this.#till ? { scene: 'idle', till: this.#till } : this.#view);",
    also: {
      file: 'src/counter/idle-display.ts',
      from: "if (this.#isTaken) return 'busy';",
      to: '',
    },
  },
  {
    name: 'what a till has shown is there again after the payment that it was for',
    test: 'test/counter/idle-display.test.ts',
    file: 'src/counter/idle-display.ts',
    from: 'if (this.#isTaken) this.#forget();',
    to: '',
  },
  {
    name: 'a till shows whole card numbers on the screen',
    test: 'test/api/display.test.ts',
    file: 'src/counter/idle-display.ts',
    from: "if (this.#options.cardNumbers === 'refuse' &&",
    to: "if (this.#options.cardNumbers !== 'refuse' &&",
  },
  {
    name: 'what a till shows is read as markup',
    test: 'test/browser/screen-till.browser.ts',
    file: 'src/screen/page/till.js',
    from: "element('li', {}, element('span', {}, line))",
    to: "element('li', {}, document.createRange().createContextualFragment(line))",
  },
];
