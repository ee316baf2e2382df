import type { Bug } from '../bug.ts';

/** Bugs of the queue: reversals and advices, their repeats and their end. */
export const reversalsBugs: readonly Bug[] = [
  {
    name: 'the reversal of an unknown outcome is forgotten',
    file: 'src/payment/transaction/decide.ts',
    from: "outcome.kind === 'unknown' ? { kind: 'reversalQueued', reason: outcome.reason } :",
    to: '',
  },
  {
    name: 'the reversal is forgotten after a restart',
    file: 'src/payment/transaction/recover.ts',
    from: 'if (record.reversal || !mayBePosted(record)) return [];',
    to: 'if (record.reversal || !mayBePosted(record) || reason === "restart") return [];',
  },
  {
    name: 'the reversal has a trace number of its own',
    file: 'src/methods/card/message.ts',
    from: `    trace,
    amount,
    card: cardReference(record),`,
    to: `    trace: { ...trace, stan: trace.stan + record.reversalAttempts },
    amount,
    card: cardReference(record),`,
  },
  {
    name: 'a repeated reversal is not marked as a repeat',
    file: 'src/methods/card/acquirer.ts',
    from: 'host.reverse(order, attempt > 1)',
    to: 'host.reverse(order, false)',
  },
  {
    name: 'a reversal that nobody answered is taken for acknowledged',
    file: 'src/methods/card/acquirer.ts',
    from: "if (outcome.kind === 'unanswered') return { kind: 'again' };",
    to: `if (outcome.kind === 'unanswered') {
      const events = [{ kind: 'reversalAcknowledged', responseCode: '00' }] as const;
      return { kind: 'through', news: 'reversal acknowledged', events };
    }`,
  },
  {
    name: 'a host that has no record of the original is believed at once',
    file: 'src/methods/card/acquirer.ts',
    from: "if (kind === 'noRecord' && graceMs > 0)",
    to: "if (kind === 'noRecord' && graceMs > 60_000)",
  },
  {
    name: 'no record of a request that its host could not decide is believed at once',
    test: 'test/payment/terminal/undecided.test.ts',
    file: 'src/methods/card/acquirer.ts',
    from: "if (kind === 'noRecord' && graceMs > 0)",
    to: "if (kind === 'noRecord' && graceMs > 0 && !isOpen)",
  },
  {
    name: 'all payments wait for the reversal of a request that its host could not decide',
    test: 'test/payment/terminal/undecided.test.ts',
    file: 'src/methods/card/acquirer.ts',
    from: '...(isOpen ? { isOpen } : {})',
    to: '',
  },
  {
    // One seed in 20,000 meets it.
    name: 'a kept answer of the first reversal is taken for that to its repeat',
    file: 'src/hosts/iso8583/host.ts',
    from: "const asksAfresh = !repeat || this.#link.state !== 'up';",
    to: 'const asksAfresh = true;',
    test: 'test/hosts/iso8583/reversal.test.ts',
  },
  {
    name: 'the late approval on the connection before is not heard',
    file: 'src/hosts/iso8583/link.ts',
    from: 'this.#former = this.#socket;',
    to: 'this.#socket?.destroy();',
    test: 'test/hosts/iso8583/reversal.test.ts',
  },
  {
    name: 'a kept answer on the connection before is taken for that on the new one',
    file: 'src/hosts/iso8583/link.ts',
    from: 'const found = socket === this.#socket ? this.#inFlight.get(key) : undefined;',
    to: 'const found = this.#inFlight.get(key);',
    test: 'test/hosts/iso8583/reversal.test.ts',
  },
  {
    name: 'a host that has no record is believed at once after a restart',
    file: 'src/methods/card/acquirer.ts',
    from: 'this.#clock.elapsedMs() - (this.#leftMs.get(request) ?? this.#startedMs);',
    to: 'this.#clock.elapsedMs() - (this.#leftMs.get(request) ?? this.#startedMs - this.#ms);',
  },
  {
    name: 'an advice that nobody answered is through',
    file: 'src/methods/card/send-advice.ts',
    from: "if (outcome.kind === 'notSent' || outcome.kind === 'unanswered') return { kind: 'again' };",
    to: `if (outcome.kind === 'notSent' || outcome.kind === 'unanswered') {
      const answered = answeredEvent({ kind: 'acknowledged', responseCode: '00', ...noAnswerFields }, true);
      return { kind: 'through', news: 'advice acknowledged', events: [answered] };
    }`,
  },
  {
    name: 'a rejected repeat of an advice is taken for proof that its first attempt was not posted',
    file: 'src/methods/card/send-advice.ts',
    from: 'const isOnly = attempt - unsent.of(record.id) <= 1;',
    to: 'const isOnly = true;',
  },
  {
    name: 'an authorization is completed again while only the bank knows whether it was',
    test: 'test/payment/terminal/undecided-advices.test.ts',
    file: 'src/payment/records/transaction-status.ts',
    from: ' || isUndecidedAdvice(record)',
    to: '',
  },
  {
    name: 'the approval of what was called undone comes late, and is thrown away',
    file: 'src/methods/card/late-answer.ts',
    from: 'if (answer.approves(order)) return judgeApproval(record, answer);',
    to: 'if (answer.approves(order)) return undefined;',
  },
  {
    name: 'the answer of a sale, carried twice, reverses the sale',
    file: 'src/methods/card/late-answer.ts',
    from: "if (stands || setAside === 'POSTED') return undefined;",
    to: "if (setAside === 'POSTED') return undefined;",
  },
  {
    name: '"no record" concludes what its host approved a moment before',
    file: 'src/methods/card/acquirer.ts',
    from: 'Math.max(sentMs, noRecordWindow.remainingMs(order.trace.stan))',
    to: 'sentMs',
  },
  {
    name: 'a try that its host could not decide, and approves a moment later, is reversed twice, as two transactions',
    test: 'test/payment/method/unmatched-approval.test.ts',
    file: 'src/payment/method/unmatched-approval.ts',
    from: ' && !conclusion && !reversal;',
    to: ' && !conclusion;',
  },
  {
    name: 'a reversal that is answered with another amount counts as not answered',
    test: 'test/hosts/iso8583/reversal.test.ts',
    file: 'src/hosts/iso8583/answer.ts',
    from: "if (otherAmount) return { kind: 'contradicted', responseCode: code, otherAmount };",
    to: 'if (otherAmount) return unanswered;',
  },
  {
    name: 'the amount in the answer to a reversal is not kept',
    test: 'test/payment/terminal/stuck-queue.test.ts',
    file: 'src/payment/terminal/send-attempt.ts',
    from: '...(otherAmount ? { otherAmount } : {})',
    to: '...(otherAmount ? {} : {})',
  },
  {
    name: 'the pauses of a queue begin anew with each restart',
    test: 'test/payment/terminal/forwarder.test.ts',
    file: 'src/payment/terminal/send-attempt.ts',
    from: 'return attempts === 0 ? 0 : timedAttempts + 1;',
    to: 'return attempts === 0 ? 0 : 0 * timedAttempts;',
  },
];
