import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { decideWith } from '../../src/main/composition/operator-menu.ts';
import { OperatorMenu } from '../../src/operator/menu.ts';
import { OperatorPassword } from '../../src/operator/password.ts';
import { ReadingTurns } from '../../src/payment/terminal/reading-turns.ts';
import { Reports } from '../../src/payment/terminal/reports.ts';
import { TransactionLists } from '../../src/payment/terminal/transaction-lists.ts';
import { rules, type Stage } from '../payment/terminal/stage.ts';
import { cheap } from './cheap.ts';

type MenuOptions = ConstructorParameters<typeof OperatorMenu>[0];

/** A real desk over a real terminal, and a session of its operator. */
export async function openMenu(stage: Stage, options: Partial<MenuOptions> = {}) {
  const { dir, clock, journal, forwarder, terminal } = stage;
  const password = new OperatorPassword(dir, clock, cheap);
  await password.set('135792');
  const nothing = async () => ({ status: 200, body: {} });
  const menu = new OperatorMenu({
    password,
    journal,
    acquirers: ['EDC', 'CUP'],
    profiles: stage.profiles,
    rules,
    lists: lists(stage),
    reports: new Reports({ journal, acquirers: stage.acquirers.acquirers, turns: new ReadingTurns() }),
    machine: { devices: () => [], addresses: () => [] },
    printReport: nothing,
    refundRight: { HKD: 50_000n },
    methodNames: {},
    audit: { write: async () => undefined },
    isUnsendable: (id) => forwarder.isUnsendable(id),
    onSetAside: () => undefined,
    onBatchDecided: () => undefined,
    settleWaiting: async () => undefined,
    pay: nothing,
    settle: nothing,
    notices: () => [],
    isIdle: () => terminal.running === undefined,
    undisturbed: (work) => terminal.runUndisturbed(work),
    decide: decideWith({ acquirers: stage.acquirers.acquirers, forwarder }),
    takesBatch: terminal.room.takesBatch,
    clock,
    random: { bytes: (length) => randomBytes(length) },
    currency: 'HKD',
    version: '1',
    onFailure: (error) => assert.fail(String(error)),
    ...options,
  });
  const { body } = await menu.handle({ kind: 'login', password: '135792' });
  return { menu, session: String(body['session']) };
}

function lists({ journal, acquirers, terminal }: Stage): TransactionLists {
  return new TransactionLists({ journal, acquirers: acquirers.acquirers, terminal, turns: new ReadingTurns() });
}
