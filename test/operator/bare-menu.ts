import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { AuditEntry } from '../../src/operator/audit.ts';
import { OperatorMenu } from '../../src/operator/menu.ts';
import type { MenuParts } from '../../src/operator/menu-parts.ts';
import { OperatorPassword } from '../../src/operator/password.ts';
import { cheap } from './cheap.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { decidesAtOnce } from '../support/decides-at-once.ts';

export const right = '135792';

/** A journal in which nothing waits. */
export const nothing = {
  unmatched: async () => [],
  matters: async () => [],
  discrepancies: async () => [],
  settleDiscrepancy: async () => false,
  isFromCopy: async () => false,
  presentBatch: async () => undefined,
  takes: () => true,
  acquirers: async () => [],
  pending: async () => [],
  rejectedAdvices: async () => [],
  setAside: async () => [],
  openBatch: async () => 1,
  batchPage: async () => [],
  read: async () => [],
  unfinished: async () => [],
  settlingBatches: async () => [],
  deniedBatches: async () => [],
  recordResult: async () => undefined,
  markUnsettled: async () => undefined,
  reopenBatch: async () => undefined,
  latestSettlements: async () => [],
  isSettled: async () => false,
  later: async () => [],
};

export const confirmation = 'c0'.repeat(16);

/** A desk over calls that the test hears. */
export async function staged(t: TestContext, parts: Partial<MenuParts> = {}) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-desk-'));
  t.after(() => rm(dir, { recursive: true }));
  const clock = new ManualClock();
  const password = new OperatorPassword(dir, clock, cheap);
  await password.set(right);
  const calls: unknown[] = [];
  const call = (name: string) => async (body: unknown) => {
    calls.push([name, body]);
    return { status: 200, body: { responseResult: 'SUCCESS' } };
  };
  const failures: unknown[] = [];
  const audit: AuditEntry[] = [];
  const menu = new OperatorMenu({
    password,
    journal: { ...nothing, append: async () => [] },
    acquirers: ['EDC'],
    profiles: [],
    rules: { completionTolerancePercent: 0, tipPercentMax: 20, tipNeedsSignature: false },
    reports: { read: async () => [] },
    machine: { devices: () => [], addresses: () => [] },
    decide: decidesAtOnce,
    printReport: call('print report'),
    lists: { page: async () => ({ items: [] }) },
    refundRight: { HKD: 50_000n },
    methodNames: {},
    audit: { write: async (entry) => void audit.push(entry) },
    isUnsendable: () => false,
    onSetAside: ({ id }, outcome) => calls.push(['set aside', id, outcome]),
    onBatchDecided: ({ acquirer, batch }, outcome) => calls.push(['batch decided', acquirer, batch, outcome]),
    settleWaiting: call('settle waiting'),
    pay: call('pay'),
    settle: call('settle'),
    isIdle: () => true,
    notices: () => [],
    undisturbed: (work) => work(),
    takesBatch: async () => true,
    clock,
    random: { bytes: (length) => randomBytes(length) },
    currency: 'HKD',
    version: '1',
    onFailure: (error) => failures.push(error),
    ...parts,
  });
  const login = async () => (await menu.handle({ kind: 'login', password: right })).body['session'] as string;
  return { menu, calls, clock, login, failures, audit };
}
