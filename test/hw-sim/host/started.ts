import type { TestContext } from 'node:test';
import { type HostMode, Iso8583Host } from '../../../hw-sim/host/iso8583/host.ts';
import { Terminal, testBdk, testCards } from './terminal.ts';
import { Till } from './till.ts';

export const cards = await testCards();
const names = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay'];

/** 10:15:30 on 25 August in Hong Kong. */
const now = () => new Date('2026-08-25T02:15:30.000Z');

export interface Started {
  readonly host: Iso8583Host;
  readonly terminal: Terminal;
  readonly till: Till;
}

/** A host, a terminal at it, and a till with a Visa card. */
export async function started(t: TestContext, mode?: HostMode, completionTolerancePercent = 15): Promise<Started> {
  const host = new Iso8583Host({
    id: 'EDC',
    cards: names.map(cards),
    bdk: testBdk,
    now,
    completionTolerancePercent,
  });
  t.after(() => host.close());
  await host.listen();
  if (mode) await host.setMode(mode);
  const terminal = await Terminal.open(host.port);
  t.after(() => terminal.end());
  return { host, terminal, till: new Till(terminal, cards('visa')) };
}

/** Kind, amount and status of every posting. */
export const postings = (host: Iso8583Host): string[] =>
  host.ledger().map(({ kind, amount, status }) => `${kind} ${amount} ${status}`);

export const findings = (host: Iso8583Host): string[] => host.unexpected.map(({ why }) => why);
