import type { Bug } from '../bug.ts';

/** Bugs of what must be on the disk first: intent before the wire, answer before anybody hears of it. */
export const intentsBugs: readonly Bug[] = [
  {
    name: 'the request leaves before its intent is committed',
    file: 'src/methods/card/authorize.ts',
    from: `const turn = await writeIntent(order, draft, parts);
  if (turn.kind === 'over') return turn.end;
  const atHand`,
    to: `const stan = (await parts.journal.allocateStans(acquirer.id, 1)) + 1;
  const early = { stan, invoice: stan, batch: await parts.journal.openBatch(acquirer.id) };
  const sent = cardAtHand(card, draft, pin);
  void acquirer.host.request({ operation: 'sale', trace: early, amount: order.amount, card: sent }).catch(() => undefined);
  const turn = await writeIntent(order, draft, parts);
  if (turn.kind === 'over') return turn.end;
  const atHand`,
  },
  {
    name: 'a payment is shown, told and sent while its acceptance is still being written',
    file: 'src/payment/terminal/transaction-run.ts',
    from: `const known = await this.#accept(order, sessions);
    if (known) return known;`,
    to: 'void this.#accept(order, sessions).catch(() => undefined);',
  },
  {
    name: 'a payment whose acceptance could not be written goes on: its intent stands alone',
    file: 'src/payment/terminal/transaction-run.ts',
    from: `      await sessions.disarm();
      return this.#knownOr(error);`,
    to: '      return undefined;',
  },
  {
    name: 'the reader stays armed for a request whose identity is taken',
    test: 'test/payment/terminal/armed-ahead.test.ts',
    file: 'src/payment/terminal/transaction-run.ts',
    from: 'if (opened.existing !== undefined || opened.settlement) await sessions.disarm();',
    to: '',
  },
  {
    name: 'the reader stays armed where the acceptance could not be written',
    test: 'test/payment/terminal/armed-ahead.test.ts',
    file: 'src/payment/terminal/transaction-run.ts',
    from: `      await sessions.disarm();
      return this.#knownOr(error);`,
    to: '      return this.#knownOr(error);',
  },
  {
    name: 'the commit of an intent does not look at what waits for its host',
    test: 'test/payment/terminal/journal-messages.test.ts',
    file: 'src/journal/store.ts',
    from: 'if (this.#tables.queues.isQueued(draft.acquirerId)) return undefined;',
    to: '',
  },
  {
    name: 'the POS is told what another commit has left',
    file: 'src/journal/store.ts',
    from: 'return this.#tables.log.read(id);',
    to: 'return this.#tables.log.read(((globalThis as { first?: TerminalTransactionId }).first ??= id));',
  },
  {
    name: 'a request leaves before a reversal that was queued while its intent was written',
    test: 'test/payment/terminal/late-unmatched.test.ts',
    file: 'src/methods/card/online.ts',
    from: 'if (!(await forwarder.isStillClear(acquirer.id))) return blockedBy(acquirer.id, journal);',
    to: 'void forwarder;',
  },
  {
    name: 'the answer is told before it is committed',
    file: 'src/payment/method/commit-answer.ts',
    from: 'await journal.append(order.id, [...conclusionEvents(outcome, { ...order, conclusion }), ...more]);',
    to: `void journal
      .append(order.id, [...conclusionEvents(outcome, { ...order, conclusion }), ...more])
      .catch(() => undefined);`,
    also: {
      file: 'src/payment/terminal/transaction-run.ts',
      from: "const reported = conclusion?.result === 'SUCCESS' ? undefined : conclusion;",
      to: 'const reported = conclusion;',
    },
  },
  {
    name: 'the card hears of its approval before it is committed',
    file: 'src/methods/card/online.ts',
    from: `    await journal.append(order.id, [...part, { kind: 'answered', outcome: journalledOutcome(outcome) }]);
    return { kind: 'card' };`,
    to: `    void journal.append(order.id, [...part, { kind: 'answered', outcome: journalledOutcome(outcome) }]).catch(() => undefined);
    return { kind: 'card' };`,
  },
  {
    name: 'a payment does not wait for the reversals before it',
    file: 'src/payment/method/write-intent.ts',
    from: 'if (await forwarder.clear(acquirerId)) return undefined;',
    to: 'if (forwarder !== undefined) return undefined;',
    also: {
      file: 'src/methods/card/online.ts',
      from: 'if (!(await forwarder.isStillClear(acquirer.id))) return blockedBy(acquirer.id, journal);',
      to: 'void forwarder;',
    },
  },
  {
    name: 'what the chip refused is approved',
    file: 'src/methods/card/complete.ts',
    from: "const agreed = completion.kind === 'agreed';",
    to: "const agreed = completion.kind !== 'lost';",
  },
  {
    name: 'the track stays in memory',
    file: 'src/methods/card/collected.ts',
    from: 'this.card?.encrypted.track2.fill(0);',
    to: '',
  },
  {
    name: 'a reader that does not answer has deducted nothing',
    file: 'src/methods/octopus/authorize.ts',
    from: `    case 'incomplete':
    case 'otherReader':
    case 'unanswered':
      return undefined;`,
    to: `    case 'incomplete':
    case 'otherReader':
    case 'unanswered':
      return [{ kind: 'answered', outcome: nothingDeducted }, { kind: 'ended', ...failure('ERROR', '') }, { kind: 'resolved' }];`,
  },
];
