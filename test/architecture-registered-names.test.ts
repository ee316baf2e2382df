import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The methods and options that are registered by lists. Cash and card are words of every terminal. */
const registered = ['octopus', 'wallet', 'eps', 'tip', 'signature'] as const;
type Registered = (typeof registered)[number];

/** The lists alone import the folders of methods and options. */
const lists = new Set(['src/main/methods.ts', 'src/main/sale-options.ts']);

/**
 * The words of code that name one of them outside the lists, by file. A number may only become smaller: who removes a
 * word lowers it. The reasons:
 *
 * - The interface (docs/SPEC.md) has tip, cashback of EPS and tip adjustment in requests, records, sums and answers, and
 *   CVM signature on the receipt.
 * - A method is given the devices of the terminal by their names, and the reasons of old codes are those of each host.
 * - Reasons and outcomes are one table for all answers and languages.
 * - WalletHost is the contract of a host that is asked for orders.
 * - A wallet's order is a code that can be shown and closed: the machine and recovery know that.
 */
const justified: Readonly<Record<string, Partial<Record<Registered, number>>>> = {
  'src/main/composition/counter.ts': { octopus: 1 },
  'src/main/composition/open-methods.ts': { wallet: 1 },
  'src/main/composition/recorded-reasons.ts': { octopus: 3 },
  'src/main/composition/terminal.ts': { wallet: 2 },
  'src/main/run-flags.ts': { wallet: 4 },
  'src/main/simulator.ts': { wallet: 4 },
  'src/payment/contracts/acquirer-host.ts': { tip: 4 },
  'src/payment/contracts/reported-outcome.ts': { wallet: 3, octopus: 2, eps: 1, tip: 1 },
  'src/payment/contracts/wallet-host.ts': { wallet: 31 },
  'src/payment/events/accepted.ts': { tip: 1 },
  'src/payment/events/answer.ts': { wallet: 1 },
  'src/payment/events/shapes.ts': { wallet: 1, tip: 1 },
  'src/payment/method/description.ts': { eps: 1, wallet: 2, octopus: 1 },
  'src/payment/method/order.ts': { tip: 1 },
  'src/payment/method/original.ts': { wallet: 1 },
  'src/payment/method/other-description.ts': { wallet: 1 },
  'src/payment/method/payment-method-module.ts': { octopus: 4 },
  'src/payment/method/write-intent.ts': { tip: 2 },
  'src/payment/options/sale-option.ts': { tip: 2 },
  'src/payment/records/batch-load.ts': { tip: 3 },
  'src/payment/records/batch.ts': { tip: 7 },
  'src/payment/records/customer-matters.ts': { wallet: 1 },
  'src/payment/records/extra-payments.ts': { wallet: 2 },
  'src/payment/records/payment.ts': { eps: 2 },
  'src/payment/records/present.ts': { tip: 1, wallet: 1 },
  'src/payment/records/record.ts': { wallet: 1, tip: 1, signature: 1 },
  'src/payment/records/report.ts': { tip: 5 },
  'src/payment/records/transaction-status.ts': { tip: 6 },
  'src/payment/terminal/option-questions.ts': { wallet: 3 },
  'src/payment/terminal/order-of.ts': { tip: 2 },
  'src/payment/terminal/outcome-view.ts': { tip: 8, wallet: 4 },
  'src/payment/terminal/paper.ts': { signature: 4 },
  'src/payment/terminal/parts.ts': { wallet: 1 },
  'src/payment/terminal/receipt-of.ts': { tip: 6 },
  'src/payment/terminal/recovery.ts': { tip: 2, wallet: 1, eps: 2 },
  'src/payment/terminal/reported-reasons.ts': { wallet: 5, octopus: 6, tip: 5 },
  'src/payment/terminal/reports.ts': { tip: 7 },
  'src/payment/terminal/request.ts': { tip: 2 },
  'src/payment/terminal/running-view.ts': { wallet: 5, tip: 4 },
  'src/payment/terminal/transaction-run.ts': { wallet: 4, tip: 4 },
  'src/payment/transaction/acquirer-profile.ts': { wallet: 3 },
  'src/payment/transaction/collectable.ts': { wallet: 8 },
  'src/payment/transaction/decide.ts': { wallet: 1, octopus: 1 },
  'src/payment/transaction/machine.ts': { wallet: 2 },
  'src/payment/transaction/machine/authorizing.ts': { wallet: 1 },
  'src/payment/transaction/machine/context.ts': { wallet: 4 },
  'src/payment/transaction/machine/outcomes.ts': { wallet: 1 },
  'src/payment/transaction/machine/presenting-code.ts': { wallet: 5 },
  'src/payment/transaction/machine/questioning.ts': { wallet: 2 },
  'src/payment/transaction/machine/setup.ts': { wallet: 6 },
  'src/payment/transaction/reference.ts': { tip: 22, signature: 3, wallet: 1 },
  'src/payment/transaction/set-aside.ts': { wallet: 1 },
};

/** The parts of a name in camel or capital letters: tipMinor, TIP_ADJUST, OctopusReader. */
function wordsOf(name: string): string[] {
  return name
    .split(/(?<=[a-z\d])(?=[A-Z])|[^A-Za-z]+/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '');
}

/** How often the code of a file names each. Comments, and sentences for people, do not count. */
function countNames(text: string): Partial<Record<Registered, number>> {
  const counts: Partial<Record<Registered, number>> = {};
  const visit = (node: ts.Node): void => {
    const isWord = ts.isStringLiteral(node) && !node.text.includes(' ');
    if (ts.isIdentifier(node) || isWord) {
      const words = wordsOf(node.text);
      for (const each of registered) {
        if (words.includes(each) || words.includes(`${each}s`)) counts[each] = (counts[each] ?? 0) + 1;
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
  return counts;
}

test('main and payment name no method and no option, but for justified words that become fewer', () => {
  const found: Record<string, Partial<Record<Registered, number>>> = {};
  for (const file of globSync('src/{main,payment}/**/*.ts', { cwd: root }).toSorted()) {
    if (lists.has(file)) continue;
    const counts = countNames(readFileSync(path.join(root, file), 'utf8'));
    if (Object.keys(counts).length > 0) found[file] = counts;
  }
  assert.deepEqual(found, justified);
});

test('a name is found in each of its forms, and not in a comment or a longer word', () => {
  const text = `
    // the wallet of a tip
    import type { OctopusReader } from './octopus-reader.ts';
    const tipMinor = request['TIP_ADJUST'] ?? 'sign on the slip: signature';
    const steps = wallets.map(({ receipt }) => receipt.EPS);
  `;
  assert.deepEqual(countNames(text), { octopus: 2, tip: 2, wallet: 1, eps: 1 });
});
