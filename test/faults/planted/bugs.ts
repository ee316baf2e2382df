/** A piece of the source and what it is turned into. */
interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** One known bug. `also`: where the house has a second wall behind the first. */
export interface Bug extends Edit {
  readonly name: string;
  readonly also?: Edit;
}

export function edits({ also, ...first }: Bug): readonly Edit[] {
  return also ? [first, also] : [first];
}

/** Bugs of the kind that costs a customer money. Each piece stands once in its file, or the planting fails. */
export const bugs: readonly Bug[] = [
  {
    name: 'the request leaves before its intent is committed',
    file: 'src/terminal/authorization/card.ts',
    from: `const trace = await journal.intend(order.id, draft);
  forwarder.leaves(order.id);
  const outcome = await host.request(message(trace))`,
    to: `const stan = (await journal.allocateStans(host.id, 1)) + 1;
  const sent = host.request(message({ stan, invoice: draft.invoice ?? stan, batch: await journal.openBatch(host.id) }));
  await journal.intend(order.id, draft);
  const outcome = await sent`,
  },
  {
    name: 'the reversal of an unknown outcome is forgotten',
    file: 'src/terminal/authorization/written.ts',
    from: `events.push({ kind: 'reversalQueued', reason: outcome.reason })`,
    to: `events.push({ kind: 'ended', ...conclusion })`,
  },
  {
    name: 'the reversal is forgotten after a restart',
    file: 'src/transaction/recover.ts',
    from: 'if (record.reversal || !mayBePosted(record)) return [];',
    to: 'if (record.reversal || !mayBePosted(record) || reason === "restart") return [];',
  },
  {
    name: 'the reversal has a trace number of its own',
    file: 'src/terminal/message.ts',
    from: `return { operation, trace, amount: record.amount, card: cardReference(record) };
}`,
    to: `return { operation, trace: { ...trace, stan: trace.stan + record.reversalAttempts }, amount: record.amount, card: cardReference(record) };
}`,
  },
  {
    name: 'the answer is told before it is committed',
    file: 'src/terminal/authorization/written.ts',
    from: `    await journal.append(order.id, events);
  } catch {`,
    to: `    void journal.append(order.id, events).catch(() => undefined);
  } catch {`,
    also: {
      file: 'src/terminal/transaction-run.ts',
      from: "const told = conclusion?.result === 'SUCCESS' ? undefined : conclusion;",
      to: 'const told = conclusion;',
    },
  },
  {
    name: 'the card hears of its approval before it is committed',
    file: 'src/terminal/authorization/card.ts',
    from: `    await journal.append(order.id, [{ kind: 'answered', outcome: journalled(outcome) }]);
    return { kind: 'card' };`,
    to: `    void journal.append(order.id, [{ kind: 'answered', outcome: journalled(outcome) }]).catch(() => undefined);
    return { kind: 'card' };`,
  },
  {
    name: 'a repeated reversal is not marked as a repeat',
    file: 'src/terminal/forwarder.ts',
    from: 'host.reverse(order, attempt > 1)',
    to: 'host.reverse(order, false)',
  },
  {
    name: 'a reversal that nobody answered is taken for acknowledged',
    file: 'src/terminal/forwarder.ts',
    from: "if (outcome.kind !== 'acknowledged' && outcome.kind !== 'noRecord') return false;",
    to: `if (outcome.kind === 'refused') return false;
    if (outcome.kind === 'unanswered') {
      await journal.append(id, [{ kind: 'reversalAcknowledged', responseCode: '00' }]);
      return true;
    }`,
  },
  {
    name: 'a host that has no record of the original is believed at once',
    file: 'src/terminal/forwarder.ts',
    from: "if (outcome.kind === 'noRecord' && graceMs > 0) {",
    to: "if (outcome.kind === 'noRecord' && graceMs > 60_000) {",
  },
  {
    name: 'a host that has no record is believed at once after a restart',
    file: 'src/terminal/grace.ts',
    from: 'this.#clock.elapsedMs() - (this.#leftMs.get(id) ?? this.#startedMs);',
    to: 'this.#clock.elapsedMs() - (this.#leftMs.get(id) ?? this.#startedMs - this.#ms);',
  },
  {
    name: 'a payment does not wait for the reversals before it',
    file: 'src/terminal/authorization/card.ts',
    from: `  const { journal, forwarder } = parts;
  if (!(await forwarder.cleared(host.id))) {`,
    to: `  const { journal } = parts;
  if (parts.forwarder === undefined) {`,
  },
  {
    name: 'another body under a known identity gets the answer of the first',
    file: 'src/terminal/terminal.ts',
    from: `return record.request.digest === request.digest ? { kind: 'ended', record } : { kind: 'otherRequest' };
  }

  async #record`,
    to: `return { kind: 'ended', record };
  }

  async #record`,
  },
  {
    name: 'two amounts are one request',
    file: 'src/api/pos-request.ts',
    from: 'majorText(request.amount),',
    to: "'',",
  },
  {
    name: 'a request that says DEFAULT is another than one that says nothing',
    file: 'src/api/pos-request.ts',
    from: "request.preferredEntryMode ?? 'DEFAULT',",
    to: "request.preferredEntryMode ?? '',",
  },
  {
    name: 'a second payment begins while one runs',
    file: 'src/terminal/terminal.ts',
    from: `if (this.#occupant) return { kind: 'busy', owner: owner(this.#occupant) };
    if (this.#cutOff)`,
    to: 'if (this.#cutOff)',
  },
  {
    name: 'what the chip refused is approved',
    file: 'src/terminal/authorization/card.ts',
    from: "const agreed = completion.kind === 'agreed';",
    to: "const agreed = completion.kind !== 'lost';",
  },
  {
    name: 'more is refunded than was paid',
    file: 'src/transaction/reference.ts',
    from: 'if (amount.minor > left) {',
    to: 'if (amount.minor > left && left < 0n) {',
  },
  {
    name: 'a voided sale is settled',
    file: 'src/transaction/batch.ts',
    from: 'this.#items.delete(original.record.id);',
    to: 'this.#items.get(original.record.id);',
  },
  {
    name: 'a batch is settled while advices wait',
    file: 'src/terminal/settlement/settlement.ts',
    from: 'if (!drained && !mayWait) {',
    to: 'if (!drained && !mayWait && number < 0) {',
  },
  {
    name: 'a batch is closed that the host did not agree to',
    file: 'src/journal/store.ts',
    from: "if (result === 'FAILED' || totals.length === 0) continue;",
    to: 'if (!result || totals.length === 0) continue;',
  },
  {
    name: 'a settlement whose result could not be written is left to the next restart',
    file: 'src/terminal/terminal.ts',
    from: `        this.#cutOff = request;
        this.#takeUpIn(takeUpMs);`,
    to: '        this.#cutOff = request.digest === "" ? request : undefined;',
  },
  {
    name: 'the next batch begins with every restart',
    file: 'src/terminal/settlement/settlement.ts',
    from: 'if (existing?.results) return existing;',
    to: `if (existing?.results) return existing;
  if (existing) {
    const taken = await Promise.all(settlings(parts).map(async ({ id: at, mid, tid }) => ({ acquirerId: at, mid, tid, batch: await journal.openBatch(at), result: 'BALANCED' as const, totals: [{ kind: 'SALE' as const, currency: 'HKD' as const, count: 0, totalMinor: '0' }] })));
    await journal.endSettlement(existing.id, taken, false);
    return existing;
  }`,
  },
  {
    name: 'the track stays in memory',
    file: 'src/terminal/collected.ts',
    from: 'this.card?.encrypted.track2.fill(0);',
    to: '',
  },
  {
    name: 'a request that the host has already is taken for refused',
    file: 'src/acquirers/iso8583/answer.ts',
    from: "if (dialect.codes.duplicate.includes(code)) return { kind: 'unknown', reason: 'duplicate' };",
    to: '',
  },
  {
    name: 'an answer is taken whatever its trace number',
    file: 'src/acquirers/iso8583/link.ts',
    from: "return `${mti}/${fields[11] ?? ''}/${fields[41] ?? ''}`;",
    to: "return `${mti}/${fields[41] ?? ''}`;",
  },
  {
    name: 'a lost connection means that nothing was sent',
    file: 'src/acquirers/iso8583/link.ts',
    from: "for (const { settle } of this.#inFlight.values()) settle({ kind: 'unknown', reason });",
    to: "for (const { settle } of this.#inFlight.values()) settle(reason === 'link-closed' ? { kind: 'notSent' } : { kind: 'unknown', reason });",
  },
  {
    name: 'a batch is in the order of a clock that may be set back',
    file: 'src/journal/store.ts',
    from: 'AND opened > coalesce((SELECT opened FROM txn WHERE id = ?), 0) ORDER BY opened LIMIT ?',
    to: 'AND id > ? ORDER BY id LIMIT ?',
  },
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
  {
    name: 'a reader that does not answer has deducted nothing',
    file: 'src/terminal/authorization/octopus.ts',
    from: `    case 'incomplete':
    case 'unanswered':
      return undefined;`,
    to: `    case 'incomplete':
    case 'unanswered':
      return [{ kind: 'answered', outcome: nothingDeducted }, { kind: 'ended', ...failure('ERROR', '') }, { kind: 'resolved' }];`,
  },
  {
    name: 'an advice that nobody answered is through',
    file: 'src/terminal/forwarder.ts',
    from: `if (outcome.kind === 'unanswered' || outcome.kind === 'refused') return false;
    const { kind: answer, responseCode } = outcome;`,
    to: `if (outcome.kind === 'refused') return false;
    const { kind: answer, responseCode } =
      outcome.kind === 'unanswered' ? { kind: 'acknowledged' as const, responseCode: '00' } : outcome;`,
  },
];
