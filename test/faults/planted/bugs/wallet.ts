import type { Bug } from '../bug.ts';

/** Bugs of the wallet: what its host says, and how an order is undone. */
export const walletBugs: readonly Bug[] = [
  {
    // The codes of a schedule are those of the built-in wallets, whose prefixes are of one length.
    name: 'a code goes to the wallet with the shortest prefix: another wallet than the customer’s is asked for the money',
    test: 'test/codecs/qr/wallet-code.test.ts',
    file: 'src/codecs/qr/wallet-code.ts',
    from: '    if (length > (found?.length ?? -1)) found = { scheme, length };',
    to: '    if (length > -1 && length < (found?.length ?? 99)) found = { scheme, length };',
  },
  {
    // In a schedule the later enquiry finds it all the same.
    name: 'an order that the wallet does not know is left open',
    test: 'test/payment/terminal/wallet-undo.test.ts',
    file: 'src/methods/wallet/undo.ts',
    from: '      return over(neverCame(await host.close({ ...order, scheme }), await host.enquire(order)));',
    to: '      return over(true);',
  },
  {
    // The same.
    name: '"paid already" is not heard: what the wallet’s query does not show yet is called reversed while the customer has paid',
    test: 'test/payment/terminal/wallet-undo.test.ts',
    file: 'src/methods/wallet/never-came.ts',
    from: "  if (kind === 'notFound') return closing.kind === 'noSuchOrder';",
    to: "  if (kind === 'notFound') return closing.kind !== 'unanswered';",
    also: {
      file: 'src/methods/wallet/never-came.ts',
      from: "  if (kind === 'noSuchOrder') return ['closed', 'noSuchOrder', 'notOperational'].includes(closing.kind);",
      to: "  if (kind === 'noSuchOrder') return closing.kind !== 'unanswered';",
    },
  },
  {
    // Of 230 attempts to end a refund in 2,000 schedules, 4 see it shown after an earlier one, and 2 after an ending that
    // was not answered; in each of them it stands.
    test: 'test/payment/terminal/wallet-refund-ending.test.ts',
    name: 'a wallet refund that an earlier attempt has ended is told as done, because the enquiry lags',
    file: 'src/methods/wallet/refund-endings.ts',
    from: "    if (endings.isOnItsWay) return 'onItsWay';",
    to: '',
  },
  {
    test: 'test/payment/terminal/wallet-refund-ending.test.ts',
    name: 'a wallet refund that was ended is reported as made by an enquiry that is older than its ending',
    file: 'src/methods/wallet/refund-endings.ts',
    from: 'this.#clock.elapsedMs() - lastMs < this.#lagMs',
    to: 'this.#clock.elapsedMs() < lastMs',
  },
  {
    test: 'test/payment/terminal/wallet-refund-ending.test.ts',
    name: 'a wallet refund that its host shows as made is taken back, though each attempt to end it was answered without effect',
    file: 'src/methods/wallet/refund-endings.ts',
    from: "    if (request === 'arrived') this.#keep(id, { ...before, lastMs: this.#clock.elapsedMs() });",
    to: '',
  },
  {
    test: 'test/payment/terminal/wallet-refund-ending.test.ts',
    name: 'a wallet refund that its host shows as made is taken back after a restart, though it was only enquired',
    file: 'src/payment/records/record.ts',
    from: '  if (isEnquiry) return {};',
    to: '',
  },
  {
    test: 'test/payment/terminal/wallet-refund-ending.test.ts',
    name: 'a wallet refund is told as done after a restart, while an attempt to end it may be on its way',
    file: 'src/methods/wallet/refund-endings.ts',
    from: "    if (record.lastUndo !== 'sent') await this.#write(record, {});",
    to: '',
  },
  {
    test: 'test/payment/terminal/wallet-refund-ending.test.ts',
    name: 'a wallet refund that was ended before a restart is reported as made by an enquiry that lags',
    file: 'src/methods/wallet/refund-endings.ts',
    from: ': { isOnItsWay: false, lastMs: this.#clock.elapsedMs() };',
    to: ': { isOnItsWay: false };',
  },
  {
    test: 'test/payment/terminal/wallet-refund-ending.test.ts',
    name: 'a wallet refund that is being ended is told as done, because the enquiry lags',
    file: 'src/methods/wallet/undo.ts',
    from: "if (last.kind === 'approved' && closing.kind === 'refused') return",
    to: "if (last.kind === 'approved') return",
  },
  {
    // One seed in 20,000 meets it.
    name: 'a void whose intent may be on disk is told as not sent, and carried out later',
    file: 'src/methods/wallet/by-reference.ts',
    from: "if (draft.operation !== 'voidRefund') throw error;",
    to: 'if (error !== undefined) throw error;',
    test: 'test/payment/terminal/wallet-by-reference.test.ts',
  },
  {
    name: 'a wallet refund that a restart cut off is taken back by a host that takes nothing back',
    test: 'test/payment/terminal/wallet-by-reference.test.ts',
    file: 'src/methods/wallet/undo.ts',
    from: 'if (isRefundToResolve(record)) return resolveRefund(record, order, { host, printsReceipt, endings });',
    to: '',
  },
  {
    // In a schedule the later enquiry finds it all the same.
    test: 'test/hosts/qfpay/missing-order.test.ts',
    name: 'the wallet’s query is believed before its own lag has passed, by a host that forgets what it was asked to end',
    file: 'src/hosts/qfpay/host.ts',
    from: '    return this.#lastSent.quietMs(tradeNo) >= this.#lagMs;',
    to: '    return tradeNo.length > 0;',
  },
  {
    name: 'an order is looked for in the current month alone: a clock of another year, or a month’s end, calls what was paid reversed',
    file: 'src/hosts/qfpay/host.ts',
    from: "    return { kind: isQuiet && isWhole ? 'noSuchOrder' : 'notFound' };",
    to: "    return { kind: isQuiet ? 'noSuchOrder' : 'notFound' };",
    also: {
      file: 'src/hosts/qfpay/host.ts',
      from: '    for (const span of spans) {',
      to: '    for (const span of spans.slice(9)) {',
    },
  },
  {
    // The host of a schedule gives back no more than was paid, under whatever number.
    name: 'a repeated refund that is refused, because the first was carried out, is asked for under another number: given back twice',
    test: 'test/payment/terminal/wallet-undo.test.ts',
    file: 'src/methods/wallet/undo.ts',
    from: 'const outcome = await host.refund({ ...refund, at: clock.now(), originalNumber });',
    to: 'const tradeNo = `${refund.tradeNo}${clock.now().getTime()}`; const outcome = await host.refund({ ...refund, tradeNo, at: clock.now(), originalNumber });',
  },
  {
    name: 'a host that signs its answers as its page says is not understood: nothing is paid and nothing is reversed',
    file: 'src/hosts/qfpay/signature.ts',
    from: "  const texts = [body, fieldsText(fields['data'] ?? fields)];",
    to: '  const texts = [body];',
  },
  {
    name: 'an order that its host has called over is never looked at again: who paid at that moment has paid for nothing',
    file: 'src/methods/wallet/closed-order-requery.ts',
    from: "if (verdict === 'paid') await",
    to: "if (verdict === 'silent') await",
  },
  {
    name: 'an order that is paid long after it was called over is looked at no more when its wallet is settled',
    test: 'test/payment/terminal/second-look.test.ts',
    file: 'src/payment/terminal/settlement/settlement.ts',
    from: 'await parts.beforeSettlement?.(id);',
    to: '',
  },
  {
    name: 'an order that was called over is told as not charged before it was looked at again',
    test: 'test/payment/terminal/second-look.test.ts',
    file: 'src/payment/records/impact.ts',
    from: "return record.unlooked.some(({ isFinal }) => isFinal) ? 'UNKNOWN' : 'REVERSAL_PENDING';",
    to: 'return impact;',
  },
  {
    name: 'an order that is withdrawn is not kept to be looked at',
    file: 'src/methods/wallet/payment.ts',
    from: "[{ kind: 'withdrawn' }, closed]",
    to: "[{ kind: 'withdrawn' }]",
  },
  {
    name: 'an order that the operator entered as unpaid stays open and is not enquired again',
    test: 'test/payment/terminal/open-order.test.ts',
    file: 'src/payment/transaction/set-aside.ts',
    from: "  const open = outcome === 'NOT_POSTED' ? openOrder(record) : [];",
    to: '  const open: ReturnType<typeof openOrder> = [];',
  },
  {
    name: 'a card is charged although an enquiry found that the code shown before was paid',
    test: 'test/payment/terminal/late-payment.test.ts',
    file: 'src/payment/terminal/recovery.ts',
    from: '    if (outcome) throw new OutcomeFound(outcome);',
    to: '    if (outcome && find.length > 0) throw new OutcomeFound(outcome);',
  },
  {
    name: 'a shown code that was declined is not closed',
    test: 'test/payment/terminal/wallet-payment.test.ts',
    file: 'src/methods/wallet/enquiries.ts',
    from: "  return kind === 'declined' && entryMode === 'QR_PRESENT';",
    to: "  return kind === 'declined' && entryMode === undefined;",
  },
  {
    name: 'a host of which no time is known is asked for its current month alone: what was paid in the last one is never given back',
    test: 'test/hosts/qfpay/missing-order.test.ts',
    file: 'src/hosts/qfpay/months.ts',
    from: 'if (hostNowMs === undefined) return { spans: sent.map(spanOf), isWhole: false };',
    to: 'if (hostNowMs === undefined) return { spans: spans(sent, sentMs), isWhole: false };',
  },
  {
    name: 'a host that tells no date can’t be asked for an order of last month after a restart: QR waits for the operator',
    test: 'test/hosts/qfpay/missing-order.test.ts',
    file: 'src/hosts/qfpay/months.ts',
    from: '  return hostAtMs === undefined ? found : then(found, hostAtMs);',
    to: '  return found;',
  },
  {
    name: 'what the wallet was paid is not given back',
    file: 'src/methods/wallet/undo.ts',
    from: 'const refund = await giveBack(order, finding.hostNumber, host, clock);',
    to: 'const refund = clock ? finding : await giveBack(order, finding.hostNumber, host, clock);',
  },
  {
    name: 'a code for more than the wallet’s messages can express is asked for after its intent: QR waits for it ever after',
    file: 'src/base/domain/capability.ts',
    from: '  if (minor > mostMinor) return',
    to: '  if (minor > mostMinor * 10n) return',
    also: {
      file: 'src/hosts/qfpay/host.ts',
      from: '      throw new UnsendableOrder((error as Error).message);',
      to: '      throw error;',
    },
  },
  {
    // The host of a schedule knows the built-in wallets, which have no tags.
    name: 'the tag of a wallet is not sent: its customer pays another wallet’s order, under another wallet’s name',
    test: 'test/e2e/further-wallet.long.ts',
    file: 'src/hosts/qfpay/request.ts',
    from: '      ...(payTag === undefined ? {} : { pay_tag: payTag }),',
    to: '      ...(payTag === payType ? { pay_tag: String(payTag) } : {}),',
  },
  {
    // The built-in wallets name their closing call.
    name: 'the only call that ends a wallet’s orders is not tried: a code that was called off can still be paid',
    test: 'test/e2e/further-wallet.long.ts',
    file: 'src/hosts/qfpay/host.ts',
    from: "    return isRefused ? this.#end('close', order) : reversed;",
    to: "    return isRefused ? { kind: 'closed' } : reversed;",
  },
  {
    // A payment that makes no message is over before it is in a queue: a cut between intent and message is too rare.
    name: 'what makes no message in a wallet’s queue is tried for ever before all others',
    test: 'test/payment/terminal/stuck-queue.test.ts',
    file: 'src/hosts/qfpay/limits.ts',
    from: '  mostMinor: 99_999_999_999n,',
    to: '  mostMinor: 999_999_999_999n,',
    also: {
      file: 'src/payment/terminal/send-attempt.ts',
      from: '    if (error instanceof UnsendableOrder || timed < triesBefore) throw error;',
      to: '    if (error) throw new Error(String(error));',
    },
  },
  {
    name: 'a payment that is given back has no number of its refund',
    file: 'src/methods/wallet/undo.ts',
    from: "refundRrn: refund?.hostNumber ?? ''",
    to: "refundRrn: ''",
    test: 'test/payment/terminal/wallet-undo.test.ts',
  },
  {
    name: '"no such order" ends a refund of unknown outcome: it is made again, and both are carried out',
    test: 'test/payment/terminal/wallet-held-refund.test.ts',
    file: 'src/methods/wallet/undo.ts',
    from: "return isUnshown(first) || isUnshown(last) ? 'open' : undefined;",
    to: 'return isUnshown(first) || isUnshown(last) ? refundNotMade(printsReceipt) : undefined;',
  },
  {
    name: 'the rest of a payment can be refunded as if a refund of unknown outcome had not been carried out',
    test: 'test/payment/terminal/wallet-held-refund.test.ts',
    file: 'src/payment/method/write-intent.ts',
    from: 'return amount.minor + unknownMinor + refundedMinor <= total.minor;',
    to: 'return amount.minor + refundedMinor <= total.minor;',
  },
  {
    name: 'a wallet takes no payment while its host has no such order as a refund of unknown outcome',
    test: 'test/payment/terminal/wallet-held-refund.test.ts',
    file: 'src/payment/terminal/store-and-forward.ts',
    from: '    if (!result.isOpen) return',
    to: '    if (!result.isOpen || attempt > 0) return',
  },
  {
    name: 'a batch is closed while it is not known whether one of its sales was voided',
    test: 'test/payment/terminal/wallet-held-refund.test.ts',
    file: 'src/payment/terminal/settlement/open-batch.ts',
    from: "if (record?.request.type.startsWith('VOID_')) return each.id;",
    to: "if (record?.request.type.startsWith('VOID_X')) return each.id;",
  },
  {
    name: 'a refund that was carried out late is in no batch, because nobody asks for it before the settlement',
    test: 'test/payment/terminal/wallet-held-refund.test.ts',
    file: 'src/payment/terminal/settlement/settlement.ts',
    from: '  await parts.forwarder.repeatOpen(id);\n',
    to: '',
  },
  {
    name: 'a wallet’s batch is in balance though its host has refunded a sale that this terminal has not',
    test: 'test/payment/terminal/settlement-methods.test.ts',
    file: 'src/methods/wallet/batch.ts',
    from: "if (finding === 'refunded' && kind !== 'REFUND' && (await isRefundedHere(item, journal))) return undefined;",
    to: "if (finding === 'refunded' && kind !== 'REFUND') return undefined;",
  },
];
