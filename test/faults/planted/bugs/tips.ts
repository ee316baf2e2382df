import type { Bug } from '../bug.ts';

/** Bugs of the question for a tip. */
export const tipBugs: readonly Bug[] = [
  {
    name: 'the reader is armed with the amount without the tip that the POS is told',
    file: 'src/payment/terminal/option-questions.ts',
    from: 'this.#sessions.replan(order);',
    to: 'void order.amount;',
  },
  {
    name: 'a chosen tip is written nowhere: after a restart it is lost',
    file: 'src/payment/terminal/option-questions.ts',
    from: 'await this.#parts.journal.append(order.id, [answerEvent(option, answer)]);',
    to: 'void answerEvent(option, answer);',
  },
  {
    name: 'a chosen tip is read back without its amount: host and POS have two totals',
    file: 'src/options/tip/contract.ts',
    from: 'minor: record.amount.minor + tipMinor };',
    to: 'minor: record.amount.minor };',
  },
  {
    name: 'a page names a tip of its own, and it is charged',
    file: 'src/options/tip/offers.ts',
    from: 'return made.find((minor) => majorText({ ...base, minor }) === text);',
    to: 'return made.find((minor) => majorText({ ...base, minor }) === text) ?? BigInt(text.replaceAll(".", ""));',
  },
  {
    name: 'a customer who enters a tip may enter any',
    test: 'test/payment/terminal/tip.test.ts',
    file: 'src/options/tip/question.ts',
    from: 'if (entered.minor > (this.#plan.ownMostMinor ?? 0n)) return false;',
    to: '',
  },
  {
    name: 'who does not choose in time gives the first tip that was offered',
    file: 'src/options/tip/question.ts',
    from: 'readonly unanswered = nothingAdded;',
    to: 'readonly unanswered = { ...nothingAdded, addedMinor: 100n };',
  },
  {
    name: 'the same request again, while its customer chooses, is answered before it has ended',
    test: 'test/payment/terminal/tip.test.ts',
    file: 'src/payment/terminal/terminal.ts',
    from: 'if (same && isOwner(same, request)) return joinPayment(same, request);',
    to: 'if (same && request.askTip !== true && isOwner(same, request)) return joinPayment(same, request);',
    also: {
      file: 'src/payment/terminal/terminal.ts',
      from: 'if (sameNow && (!existing || isOwner(sameNow, request))) return joinPayment(sameNow, request);',
      to: 'if (sameNow && request.askTip !== true) return joinPayment(sameNow, request);',
    },
  },
  {
    name: 'a request that asks for a tip is another one when it is repeated',
    file: 'src/pos/api/pos-request.ts',
    from: "...(request.askTip === true ? ['askTip'] : []),",
    to: "...(request.askTip === true ? ['askTip', Math.random()] : []),",
  },
  {
    name: 'a try that its host approves late is taken back without its tip',
    test: 'test/payment/terminal/tip.test.ts',
    file: 'src/options/tip/contract.ts',
    from: 'request: { ...record.request, amountMinor: amount.minor.toString(), ...tip } };',
    to: 'request: { ...record.request, ...tip } };',
  },
  {
    name: 'a tip is offered that the limits of its acquirers do not allow',
    test: 'test/options/tip/offers.test.ts',
    file: 'src/options/tip/offers.ts',
    from: 'tipMinor > 0n && tipMinor <= most && faultOf(tipMinor) === undefined;',
    to: 'tipMinor > 0n && tipMinor <= most;',
  },
];
