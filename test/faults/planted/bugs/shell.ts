import type { Bug } from '../bug.ts';

/** A shell's exit code is all that a script hears of a payment. */
export const shellBugs: readonly Bug[] = [
  {
    name: 'a voided sale is 0 for a script',
    file: 'src/admin/shell/exit-code.ts',
    from: "if (is === 'undone') return 'undone';",
    to: "if (is === 'undone') return 'paid';",
    test: 'test/admin/shell/exit-code.test.ts',
  },
  {
    name: 'an outcome that is not known is told to a script as not paid',
    file: 'src/admin/shell/exit-code.ts',
    from: `if (is === 'unknown') return 'unknown';`,
    to: `if (is === 'unknown') return 'failed';`,
    test: 'test/admin/shell/exit-code.test.ts',
  },
  {
    name: 'an amount at the shell is rounded',
    file: 'src/admin/shell/money.ts',
    from: `if (typeof parsed === 'object') return parsed;`,
    to: `if (parsed === 'too-many-decimals') return parseAmount(Number(text).toFixed(exponent(currency)), currency);
  if (typeof parsed === 'object') return parsed;`,
    test: 'test/admin/shell/payment-request.test.ts',
  },
  {
    name: 'a call goes to a terminal with another certificate',
    file: 'src/admin/shell/terminal-fetch.ts',
    from: `.fingerprint256.replaceAll(':', '') === fingerprint`,
    to: `.fingerprint256.replaceAll(':', '') !== ''`,
    test: 'test/e2e/shell-paired.long.ts',
  },
  {
    name: 'a payment whose reader has gone ends with 1',
    file: 'src/base/standard-output.ts',
    from: `  process.stderr.on('error', () => undefined);`,
    to: `  process.stderr.on('error', () => process.exit(1));`,
    test: 'test/e2e/shell-unread.test.ts',
  },
  {
    name: 'a call to a frozen terminal with a certificate of its own never ends',
    file: 'src/admin/shell/terminal-fetch.ts',
    from: `    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });`,
    to: ``,
    also: {
      file: 'src/admin/shell/terminal-fetch.ts',
      from: `socket.destroy(signal.reason as Error)`,
      to: `socket.destroy()`,
    },
    test: 'test/admin/shell/terminal-fetch.test.ts',
  },
  {
    name: 'a lost payment that the terminal has not heard of yet is told as not paid',
    file: 'src/pos/client/client.ts',
    from: `if (!isUnheard(outcome)) return outcome;`,
    to: `if (outcome.is) return outcome;`,
    test: 'test/pos/client/client.test.ts',
  },
];
