import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CardCompletion } from '../../../src/base/ports/card-reader.ts';
import type { Journal } from '../../../src/payment/contracts/journal.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { type TransactionRecord, transactionRecord } from '../../../src/payment/records/record.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertDisarmed } from './method-stage.ts';
import { approves, declines, postsAndIsSilent } from './scripted-host.ts';
import { deducts, deductsAndGoesAway, staysIncomplete } from './scripted-octopus.ts';
import { card } from './scripted-reader.ts';
import { asksCustomer, paysAndIsSilent, showsAndIsSilent } from './scripted-wallet.ts';
import { about, ended, everything, sale, Stage } from './stage.ts';

interface Case {
  readonly request: (earlier: readonly TransactionRecord[]) => PaymentRequest;
  /** What it refers to, done before the journal fails. */
  readonly before?: readonly ((earlier: readonly TransactionRecord[]) => PaymentRequest)[];
  readonly script?: (stage: Stage) => void;
  /** What the merchant does instead, while a code is on show. */
  readonly onCode?: (stage: Stage) => void;
  /** What the customer's card is. */
  readonly card?: keyof typeof cards;
  /** How often it has happened in the books, beside what stood there before. */
  readonly happened?: (stage: Stage, earlier: readonly TransactionRecord[]) => number;
}

const byScan = (messageId: string) => sale(messageId, { preferredEntryMode: 'QR_SCAN' });
const original = () => byScan('M-0');
const first = (earlier: readonly TransactionRecord[]) => earlier[0] ?? assert.fail('no original');
const last = (earlier: readonly TransactionRecord[]) => earlier.at(-1) ?? assert.fail('no original');

/** Orders that stand in the wallet's books and are no sale: `id` is whose. */
function givenBack({ wallet }: Stage, id: string): number {
  return [...wallet.books].filter(([tradeNo, { state }]) => tradeNo.startsWith(`${id}-`) && state === 'paid').length;
}

function idOf({ journal: { store } }: Stage): string {
  return store.find('POS-1', 'M-1') ?? 'none';
}

/** A sale in cash stands in no books but the journal's. */
function inCash(stage: Stage): number {
  const record = written(stage);
  return record?.intent && 'cash' in record.intent && record.hostOutcome?.kind === 'approved' ? 1 : 0;
}

const scan = () => byScan('M-1');
const present = () => sale('M-1', { preferredEntryMode: 'QR_PRESENT' });
const octopus = () => sale('M-1', { preferredInstrument: 'OCTOPUS' });
const eps = () => sale('M-1', { preferredInstrument: 'EPS' });
const chip = () => sale('M-1', { preferredEntryMode: 'CARD' });

const cases: Readonly<Record<string, Case>> = {
  'a code that is scanned and paid': { request: scan },
  'a code that is scanned, and the customer is asked': {
    request: scan,
    script: ({ wallet }) => {
      wallet.onPay = () => asksCustomer;
    },
  },
  'a code that is scanned, paid and not answered': {
    request: scan,
    script: ({ wallet }) => {
      wallet.onPay = () => paysAndIsSilent;
      wallet.onEnquire = ({ tradeNo }) =>
        wallet.calls.length < 8 && !tradeNo.endsWith('-R') ? { kind: 'unknown' } : undefined;
    },
  },
  'a code that is shown and paid': { request: present },
  'a code that is shown and expires': {
    request: present,
    script: ({ wallet }) => {
      wallet.paid = () => {
        wallet.expired();
        return false;
      };
    },
  },
  'a code that is shown, and the merchant cancels': {
    request: present,
    onCode: (stage) => stage.act({ kind: 'cancel' }),
  },
  'a code that is shown, and the merchant takes cash': {
    request: present,
    onCode: (stage) => stage.act({ kind: 'choose', mode: 'CASH' }),
    happened: (stage) => stage.posted + inCash(stage),
  },
  'a code that is shown, paid and given up': {
    request: present,
    script: ({ wallet }) => {
      wallet.onClose = () => {
        wallet.paid();
        return { closes: true };
      };
    },
    onCode: (stage) => stage.act({ kind: 'choose', mode: 'CASH' }),
    happened: (stage) => stage.posted + inCash(stage),
  },
  'a code that could be shown, and is not answered': {
    request: present,
    script: ({ wallet }) => {
      wallet.onPresent = () => showsAndIsSilent;
    },
  },
  'a wallet’s refund': {
    request: (earlier) => about('REFUND', 'M-1', first(earlier), { amount: { minor: 1000n, currency: 'HKD' } }),
    before: [original],
    happened: (stage) => givenBack(stage, idOf(stage)),
  },
  'a wallet’s refund of unknown outcome': {
    request: (earlier) => about('REFUND', 'M-1', first(earlier)),
    before: [original],
    script: ({ wallet }) => {
      wallet.onRefund = () => paysAndIsSilent;
    },
    happened: (stage) => givenBack(stage, idOf(stage)),
  },
  'a wallet’s void': {
    request: (earlier) => about('VOID_SALE', 'M-1', first(earlier)),
    before: [original],
    happened: (stage) => givenBack(stage, idOf(stage)),
  },
  'a void of a wallet’s refund': {
    request: (earlier) => about('VOID_REFUND', 'M-1', last(earlier)),
    before: [original, (earlier) => about('REFUND', 'R-0', first(earlier))],
    happened: (stage, earlier) => 1 - givenBack(stage, last(earlier).id),
  },
  'a void of a wallet’s refund that is not answered': {
    request: (earlier) => about('VOID_REFUND', 'M-1', last(earlier)),
    before: [original, (earlier) => about('REFUND', 'R-0', first(earlier))],
    script: ({ wallet }) => {
      wallet.onReverseRefund = () => ({ closes: true, outcome: { kind: 'unanswered' } });
    },
    happened: (stage, earlier) => 1 - givenBack(stage, last(earlier).id),
  },
  'an Octopus sale': { request: octopus },
  'an Octopus sale that is incomplete at first': {
    request: octopus,
    script: (stage) => {
      stage.octopus.onDeduct = () => (stage.octopus.deductions.length < 3 ? staysIncomplete : deducts);
    },
  },
  'an Octopus sale whose agent is lost': {
    request: octopus,
    script: ({ octopus: reader }) => {
      reader.onDeduct = () => deductsAndGoesAway;
    },
  },
  'an Octopus card that is gone, and then another': {
    request: octopus,
    script: ({ octopus: reader }) => {
      reader.onDeduct = () =>
        reader.deductions.length === 1 ? { outcome: { kind: 'tryAgain', code: 100_032 } } : deducts;
    },
  },
  'a cash sale': {
    request: () => sale('M-1', { preferredEntryMode: 'CASH' }),
    happened: inCash,
  },
  'an EPS sale with one wrong PIN': {
    request: eps,
    card: 'magstripe',
    script: ({ eps: host }) => {
      host.onRequest = () => (host.requests.length === 1 ? declines('55') : approves);
    },
  },
  'an EPS sale with one wrong PIN, and then silence': {
    request: eps,
    card: 'magstripe',
    script: ({ eps: host }) => {
      host.onRequest = () => (host.requests.length === 1 ? declines('55') : postsAndIsSilent);
    },
  },
  'a chip that agrees': { request: chip, card: 'chip' },
  'a chip that refuses': {
    request: chip,
    card: 'chip',
    script: ({ equipped }) => {
      equipped.onComplete = (): CardCompletion => ({ kind: 'refused', emv: new Map() });
    },
  },
};

/**
 * fails: nothing is written and the caller hears of it. misreports: written, and reported as failed. stops: the
 * process is cut off where it stands, before or behind that commit.
 */
interface Failure {
  readonly how: 'fails' | 'misreports' | 'stops before' | 'stops behind';
  readonly length: number;
  readonly restarts: boolean;
}

const failures: readonly Failure[] = [
  { how: 'fails', length: 1, restarts: false },
  { how: 'misreports', length: 1, restarts: false },
  { how: 'misreports', length: 1, restarts: true },
  { how: 'fails', length: Number.POSITIVE_INFINITY, restarts: false },
  { how: 'fails', length: Number.POSITIVE_INFINITY, restarts: true },
  { how: 'stops before', length: Number.POSITIVE_INFINITY, restarts: true },
  { how: 'stops behind', length: Number.POSITIVE_INFINITY, restarts: true },
];

for (const [name, each] of Object.entries(cases)) {
  test(`${name}: whichever call of the journal fails, the books agree with the journal in the end`, async () => {
    for (let call = 1; ; call++) {
      let reached = false;
      for (const failure of failures) reached = (await failedAt(each, call, failure)) || reached;
      if (reached) continue;
      assert.ok(call > 3, 'it takes some calls');
      return;
    }
  });
}

/** Whether the journal was called as often as that. */
async function failedAt(each: Case, call: number, { how, length, restarts }: Failure): Promise<boolean> {
  const at = `call ${call} ${how}, ${length} times${restarts ? ', restart' : ''}`;
  const stage = new Stage(undefined, everything);
  const earlier: TransactionRecord[] = [];
  for (const request of each.before ?? []) {
    earlier.push(ended((await played(stage, request(earlier), {})) ?? assert.fail('it was cut off')));
  }
  const before = stage.posted;
  each.script?.(stage);
  const failing = new FailingJournal(stage.journal, call, how, length);

  const answer = await played(stage, each.request(earlier), each, failing).catch((error: unknown) => error as Error);
  await settled();
  const { reached } = failing;
  if (isSuccess(answer)) assert.equal(result(stage), 'SUCCESS', `${at}: SUCCESS was told and is not written`);
  if (restarts) await stage.restart();
  else failing.end();
  for (let minute = 0; minute < 10; minute++) {
    await settled();
    await stage.clock.advance(60_000);
  }
  await settled();

  const success = result(stage) === 'SUCCESS';
  const happened = each.happened ? each.happened(stage, earlier) : stage.posted - before;
  assert.equal(happened, Number(success), `${at}: written ${result(stage)}, told ${words(answer)}`);
  if (answer && !(answer instanceof Error) && answer.kind === 'ended') {
    const impact = answer.record.conclusion?.result === 'SUCCESS' ? 'SUCCESS' : financialImpact(answer.record);
    if (impact !== 'UNKNOWN') assert.equal(impact === 'SUCCESS', success, `${at}: told ${words(answer)}`);
  }
  // A refund whose intent may be on disk is unknown to its host, and only the operator can end that. Nothing waits for it.
  const waiting = stage.journal.store.pending().filter(({ id }) => !stage.forwarder.isOpen(id));
  assert.deepEqual(waiting, [], `${at}: something waits for ever`);
  assert.deepEqual(stage.journal.store.unfinished(), [], `${at}: left unfinished`);
  assert.deepEqual(stage.wallet.waiting, [], `${at}: a code can still be paid`);
  if (!restarts) assertDisarmed(stage, at);
  const gifts = stage.wallet.calls.filter(({ call: made, order }) => made === 'refund' && order.tradeNo.endsWith('-R'));
  assert.ok(new Set(gifts.map(({ order }) => order.tradeNo)).size <= 1, `${at}: given back twice`);
  assertTrackIsForgotten(stage, at);

  // And life goes on.
  const next = await played(stage, sale('M-2', { preferredEntryMode: 'CASH' }), {});
  assert.ok(isSuccess(next), `${at}: the next payment is ${words(next)}`);
  stage.close();
  return reached;
}

/**
 * The customer and the merchant do what the terminal asks for, until it has answered. Nothing where the process was
 * cut off.
 */
async function played(
  stage: Stage,
  request: PaymentRequest,
  { card: kind = 'tapped', onCode }: Pick<Case, 'card' | 'onCode'>,
  journal?: FailingJournal,
): Promise<PayAnswer | undefined> {
  const paying = { isOver: false };
  const answer = stage.terminal.pay(request).finally(() => (paying.isOver = true));
  answer.catch(() => undefined);
  const presented = { ...card(), ...cards[kind] };
  for (let step = 0; !paying.isOver; step++) {
    if (step > 200) throw new Error(`${request.messageId} never ends`);
    await settled();
    if (journal?.isStopped) return undefined;
    if (onCode && stage.views.at(-1)?.scene === 'presentCode') onCode(stage);
    else turn(stage, presented);
    await settled();
    if (!paying.isOver) await stage.clock.advance(1_000);
  }
  return answer;
}

const cards = {
  tapped: {},
  chip: { entryMode: 'CHIP', awaitsDecision: true },
  magstripe: { entryMode: 'MAGSTRIPE', aid: '', emv: new Map() },
} as const;

function turn(stage: Stage, presented: ReturnType<typeof card>): void {
  switch (stage.views.at(-1)?.scene) {
    case 'scanCode':
      return stage.scanner.read();
    case 'tapOctopus':
      return stage.octopus.tap();
    case 'tenderCash':
      return stage.act({ kind: 'tender', amount: '50' });
    case 'presentCard':
      return stage.reader.answer({ kind: 'card', card: presented });
    case 'chooseAccount':
      return stage.act({ kind: 'account', account: 'SAVINGS' });
    case 'enterPin':
      stage.pinPad.enter();
      return;
    case 'presentCode':
    case 'processing':
      stage.wallet.paid();
      return;
    default:
  }
}

/** The journal of a stage from its n-th call on. */
class FailingJournal {
  readonly #journal: Stage['journal'];
  readonly #first: number;
  isStopped = false;

  constructor(journal: Stage['journal'], call: number, how: Failure['how'], length: number) {
    this.#journal = journal;
    this.#first = journal.calls + call;
    const isDue = (each: number) => each >= this.#first && each < this.#first + length;
    if (how === 'fails') journal.fault = isDue;
    else if (how === 'misreports') journal.misreport = isDue;
    else this.#stopAt(how === 'stops behind');
  }

  get reached(): boolean {
    return this.isStopped || this.#journal.calls >= this.#first;
  }

  end(): void {
    this.#journal.fault = () => false;
    this.#journal.misreport = () => false;
  }

  /** From that call on nobody gets an answer any more, as nobody is there. */
  #stopAt(isWritten: boolean): void {
    const journal = this.#journal as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    for (const operation of operations) {
      const real = journal[operation]?.bind(journal) ?? assert.fail(operation);
      journal[operation] = async (...args) => {
        const isDue = this.#journal.calls + 1 >= this.#first;
        if (!isDue) return real(...args);
        if (!this.isStopped && isWritten) await real(...args);
        this.isStopped = true;
        return new Promise(() => undefined);
      };
    }
  }
}

const operations = [
  'open',
  'append',
  'intend',
  'intendIfClear',
  'read',
  'findIdentity',
  'unfinished',
  'later',
  'pending',
  'isSettled',
] as const satisfies (keyof Journal)[];

function written(stage: Stage): TransactionRecord | undefined {
  const { store } = stage.journal;
  const id = store.find('POS-1', 'M-1');
  return id && transactionRecord(id, store.read(id));
}

function result(stage: Stage): string | undefined {
  return written(stage)?.conclusion?.result;
}

function assertTrackIsForgotten({ edc, eps: host }: Stage, at: string): void {
  for (const { card: sent } of [...edc.requests, ...host.requests]) {
    if (!('encryptedTrack2' in sent) || at.includes('stops')) continue;
    assert.ok(
      sent.encryptedTrack2.every((byte) => byte === 0),
      `${at}: a track can still be read`,
    );
    assert.ok(sent.pin?.block.every((byte) => byte === 0) ?? true, `${at}: a PIN can still be read`);
  }
}

function isSuccess(answer: PayAnswer | Error | undefined): boolean {
  return !(answer instanceof Error) && answer?.kind === 'ended' && answer.record.conclusion?.result === 'SUCCESS';
}

function words(answer: PayAnswer | Error | undefined): string {
  if (!answer) return 'nothing';
  if (answer instanceof Error) return `${answer.name} ${answer.message}`;
  if (answer.kind !== 'ended') return answer.kind;
  return `${answer.record.conclusion?.result ?? 'no conclusion'} ${financialImpact(answer.record)}`;
}
