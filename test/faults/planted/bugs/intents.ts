import type { Bug } from '../bug.ts';

/** Bugs of what must be on the disk first: intent before the wire, answer before anybody hears of it. */
export const intentsBugs: readonly Bug[] = [
  {
    name: 'the request leaves before its intent is committed',
    file: 'src/method/card/online.ts',
    from: `const trace = await journal.intend(order.id, draft);
  const outcome = await sendRequest(order, acquirer, () => message(trace), parts);`,
    to: `const { id, host } = acquirer;
  const stan = (await journal.allocateStans(id, 1)) + 1;
  const sent = host.request(message({ stan, invoice: draft.invoice ?? stan, batch: await journal.openBatch(id) }));
  const trace = await journal.intend(order.id, draft);
  const outcome = await sent;`,
  },
  {
    name: 'a request leaves before a reversal that was queued while its intent was written',
    test: 'test/terminal/late-stray.test.ts',
    file: 'src/method/card/online.ts',
    from: "if (!(await forwarder.isStillClear(acquirer.id))) return { kind: 'notSent', reason: 'reversals-pending' };",
    to: 'void forwarder;',
  },
  {
    name: 'the answer is told before it is committed',
    file: 'src/method/commit-answer.ts',
    from: 'await journal.append(order.id, [...conclusionEvents(outcome, { ...order, conclusion }), ...more]);',
    to: `void journal
      .append(order.id, [...conclusionEvents(outcome, { ...order, conclusion }), ...more])
      .catch(() => undefined);`,
    also: {
      file: 'src/terminal/transaction-run.ts',
      from: "const told = conclusion?.result === 'SUCCESS' ? undefined : conclusion;",
      to: 'const told = conclusion;',
    },
  },
  {
    name: 'the card hears of its approval before it is committed',
    file: 'src/method/card/online.ts',
    from: `    await journal.append(order.id, [{ kind: 'answered', outcome: journalledOutcome(outcome) }]);
    return { kind: 'card' };`,
    to: `    void journal.append(order.id, [{ kind: 'answered', outcome: journalledOutcome(outcome) }]).catch(() => undefined);
    return { kind: 'card' };`,
  },
  {
    name: 'a payment does not wait for the reversals before it',
    file: 'src/method/turn.ts',
    from: 'if (await forwarder.clear(acquirerId)) return undefined;',
    to: 'if (forwarder !== undefined) return undefined;',
  },
  {
    name: 'what the chip refused is approved',
    file: 'src/method/card/complete.ts',
    from: "const agreed = completion.kind === 'agreed';",
    to: "const agreed = completion.kind !== 'lost';",
  },
  {
    name: 'the track stays in memory',
    file: 'src/method/card/collected.ts',
    from: 'this.card?.encrypted.track2.fill(0);',
    to: '',
  },
  {
    name: 'a reader that does not answer has deducted nothing',
    file: 'src/method/octopus/authorize.ts',
    from: `    case 'incomplete':
    case 'unanswered':
      return undefined;`,
    to: `    case 'incomplete':
    case 'unanswered':
      return [{ kind: 'answered', outcome: nothingDeducted }, { kind: 'ended', ...failure('ERROR', '') }, { kind: 'resolved' }];`,
  },
];
