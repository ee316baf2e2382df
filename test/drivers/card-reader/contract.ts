import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  CardCompletion,
  CardDecision,
  CardInterface,
  CardReader,
  CollectOutcome,
  CollectRequest,
  RetryReason,
} from '../../../src/base/ports/card-reader.ts';
import { DeviceError, type DeviceErrorCode, type DeviceState } from '../../../src/base/ports/device.ts';
import type { PinOutcome, PinPad, PinRequest } from '../../../src/base/ports/pin-pad.ts';
import { settled, type ManualClock } from '../../support/manual-clock.ts';

/**
 * What every card reader must do, whatever its wire: the same tests for each, against a device that is a script. The scripts send
 * the messages of fixtures/frames, and fail the test when the device is told something that it could not take at that moment.
 */
export interface ReaderStage {
  readonly reader: CardReader & { complete(decision: CardDecision): Promise<CardCompletion>; readonly pinPad: PinPad };
  readonly clock: ManualClock;
  /** What the device was told, without what only asks whether it is there. */
  readonly reported: Reported[];
  readonly states: DeviceState[];
  /** Told, and not answered any more until `confirm`: what ends a collect, a waiting chip or a PIN entry. */
  readonly holdConfirmation: () => void;
  /** Answers what was held, and from now on at once again. */
  readonly confirm: () => void;
  /** The device says nothing any more, whatever it is told. */
  readonly fallSilent: () => void;
  /** The test's Visa card, as an answer to the collect of `request` in this file. */
  readonly present: (card: CardOnWire) => void;
  /** The collect ends without a card. */
  readonly fail: (failure: ReaderFailure) => void;
  /** Bytes that are no answer. */
  readonly garble: () => void;
  /** The chip's last word. */
  readonly word: (word: 'approved' | 'declined' | 'approved without a certificate' | 'gone' | 'damaged') => void;
  readonly pin: (pin: 'pin' | 'cancelled by key' | 'timed out' | 'damaged') => void;
  readonly unplug: () => void;
  readonly plugIn: () => void;
  readonly pathClosed: () => boolean;
  /** Listeners that the reader still has on its path. */
  readonly listeners: () => number;
}

export type Reported = 'arm' | 'disarm' | 'decide' | 'enterPin' | 'cancelPin';
export type CardOnWire = CardInterface | 'fallback' | 'clear' | 'other amount' | 'declined offline';
export type ReaderFailure = 'collision' | 'timed out' | 'use the chip' | 'use the stripe' | 'unreadable';

/** 30.00 HKD: what the fixtures' cards answer. */
export const request: CollectRequest = {
  amount: { minor: 3000n, currency: 'HKD' },
  type: 'purchase',
  timeoutMs: 60_000,
  interfaces: ['contactless', 'chip', 'magstripe'],
};
const pinRequest: PinRequest = { amount: request.amount, timeoutMs: 60_000, again: false };
const approved: CardDecision = { kind: 'approved', responseCode: '00', issuerData: new Map() };
const declined: CardDecision = { kind: 'declined', responseCode: '05', issuerData: new Map() };

/** A moment after which every driver has given up waiting for a confirmation, an answer or a last word. */
const longMs = 15_000;

type Running<Outcome> = ReaderStage & { readonly outcome: Promise<Outcome>; readonly abort: AbortController };

export function cardReaderContract(name: string, open: () => ReaderStage): void {
  async function ready(): Promise<ReaderStage> {
    const stage = open();
    await settled();
    assert.equal(stage.reader.state, 'ready');
    stage.reported.length = 0;
    stage.states.length = 0;
    return stage;
  }

  async function armed(changed: Partial<CollectRequest> = {}): Promise<Running<CollectOutcome>> {
    const stage = await ready();
    return collecting(stage, changed);
  }

  async function collecting(
    stage: ReaderStage,
    changed: Partial<CollectRequest> = {},
  ): Promise<Running<CollectOutcome>> {
    stage.reported.length = 0;
    const abort = new AbortController();
    const outcome = stage.reader.collect({ ...request, ...changed }, abort.signal);
    outcome.catch(() => {});
    await settled();
    assert.deepEqual(stage.reported, ['arm']);
    return { ...stage, outcome, abort };
  }

  async function waiting(): Promise<ReaderStage> {
    const stage = await armed();
    stage.present('chip');
    const found = await stage.outcome;
    assert.ok(found.kind === 'card' && found.card.awaitsDecision);
    stage.reported.length = 0;
    return stage;
  }

  async function deciding(decision = approved): Promise<Running<CardCompletion>> {
    const stage = await waiting();
    const outcome = stage.reader.complete(decision);
    outcome.catch(() => {});
    await settled();
    assert.deepEqual(stage.reported, ['decide']);
    return { ...stage, outcome, abort: new AbortController() };
  }

  async function entering(): Promise<Running<PinOutcome>> {
    const stage = await ready();
    const abort = new AbortController();
    const outcome = stage.reader.pinPad.enterPin(pinRequest, abort.signal);
    outcome.catch(() => {});
    await settled();
    assert.deepEqual(stage.reported, ['enterPin']);
    return { ...stage, outcome, abort };
  }

  /** It works, and nothing of before is left in it. */
  async function worksAgain(stage: ReaderStage): Promise<void> {
    await settled();
    assert.equal(stage.reader.state, 'ready');
    const { outcome } = await collecting(stage);
    assert.ok(await pending(outcome));
    stage.present('contactless');
    assert.equal((await outcome).kind, 'card');
  }

  describe(name, () => {
    test('a card by each interface', async () => {
      const expected = {
        contactless: 'CONTACTLESS',
        chip: 'CHIP',
        magstripe: 'MAGSTRIPE',
        fallback: 'FALLBACK',
      } as const;
      for (const way of ['contactless', 'chip', 'magstripe', 'fallback'] as const) {
        const { outcome, present, reported } = await armed();
        present(way);
        const found = await outcome;
        assert.ok(found.kind === 'card', way);
        const { card } = found;
        assert.equal(card.entryMode, expected[way]);
        assert.equal(card.maskedPan, '476173******0119');
        assert.equal(card.awaitsDecision, way === 'chip' ? true : undefined);
        assert.equal(card.encrypted.scheme, 'TDES-DUKPT');
        assert.equal(hex(card.encrypted.ksn), 'FFFF9876543210E00001');
        assert.equal(hex(card.encrypted.track2), '86E0D13F594DED609564CC183B923FC452E7AF878C7AE3DA');
        assert.equal(hex(card.encrypted.pan), 'F9A2A5F0D3F648B8DD180341320CD753');
        const hasChip = way === 'contactless' || way === 'chip';
        assert.equal(card.aid, hasChip ? 'A0000000031010' : '');
        assert.equal(card.appName, hasChip ? 'Visa Credit' : 'VISA');
        assert.equal(card.emv.has('9F26'), hasChip);
        for (const tag of ['57', '5A', '5F20', 'DFDF4D']) assert.ok(!card.emv.has(tag), tag);
        assert.deepEqual(reported, ['arm'], 'armed once, and nothing after');
      }
    });

    test('no heartbeat disturbs an armed reader or a card that waits', async () => {
      const first = await armed();
      await first.clock.advance(59_000);
      assert.deepEqual(first.reported, ['arm']);
      assert.ok(await pending(first.outcome));
      const second = await waiting();
      await second.clock.advance(290_000);
      assert.deepEqual(second.reported, []);
    });

    test('one thing at a time', async () => {
      const stage = await armed();
      await rejects(stage.reader.collect(request, new AbortController().signal), 'refused');
      await rejects(stage.reader.pinPad.enterPin(pinRequest, new AbortController().signal), 'refused');
      stage.present('contactless');
      assert.equal((await stage.outcome).kind, 'card');
      assert.deepEqual(stage.reported, ['arm']);
    });

    test('an abort settles only once it is confirmed, and is told once', async () => {
      const { outcome, abort, reported, clock, holdConfirmation, confirm } = await armed();
      holdConfirmation();
      abort.abort();
      abort.abort();
      assert.ok(await pending(outcome));
      await clock.advance(1_000);
      assert.ok(await pending(outcome));
      assert.deepEqual(reported, ['arm', 'disarm']);
      confirm();
      assert.deepEqual(await outcome, { kind: 'cancelled' });
      assert.deepEqual(reported, ['arm', 'disarm']);
    });

    test('a card that comes after the abort is dropped', async () => {
      for (const way of ['contactless', 'chip', 'magstripe'] as const) {
        const stage = await armed();
        stage.holdConfirmation();
        stage.abort.abort();
        await settled();
        stage.present(way);
        assert.ok(await pending(stage.outcome));
        stage.confirm();
        assert.deepEqual(await stage.outcome, { kind: 'cancelled' }, way);
        assert.deepEqual(await stage.reader.complete(approved), { kind: 'lost' });
        await worksAgain(stage);
      }
    });

    test('a card and an abort at the same moment: no card, and none waits', async () => {
      for (const way of ['contactless', 'chip', 'magstripe'] as const) {
        for (const cardFirst of [true, false]) {
          const stage = await armed();
          if (!cardFirst) stage.abort.abort();
          stage.present(way);
          if (cardFirst) stage.abort.abort();
          assert.deepEqual(await stage.outcome, { kind: 'cancelled' }, way);
          if (way === 'chip') assert.deepEqual(stage.reported, ['arm', 'disarm']);
          assert.deepEqual(await stage.reader.complete(approved), { kind: 'lost' });
          await worksAgain(stage);
        }
      }
    });

    test('aborted before it starts: nothing is told', async () => {
      const { reader, reported } = await ready();
      assert.deepEqual(await reader.collect(request, AbortSignal.abort()), { kind: 'cancelled' });
      assert.deepEqual(await reader.pinPad.enterPin(pinRequest, AbortSignal.abort()), { kind: 'cancelled' });
      assert.deepEqual(reported, []);
    });

    test('an abort that is not confirmed: time-out, and the reader is found anew', async () => {
      const stage = await armed();
      stage.holdConfirmation();
      stage.abort.abort();
      await stage.clock.advance(longMs);
      await rejects(stage.outcome, 'timeout');
      assert.notDeepEqual(stage.states, []);
      stage.confirm();
      await stage.clock.advance(longMs);
      await worksAgain(stage);
    });

    test('the time-out of the reader, and a reader that says nothing', async () => {
      const own = await armed();
      own.fail('timed out');
      assert.deepEqual(await own.outcome, { kind: 'timeout' });
      await worksAgain(own);
      const silent = await armed();
      await silent.clock.advance(60_000);
      assert.ok(await pending(silent.outcome), 'the reader has its time first');
      await silent.clock.advance(longMs);
      await rejects(silent.outcome, 'timeout');
      assert.deepEqual(silent.reported, ['arm', 'disarm']);
      await worksAgain(silent);
    });

    test('what ends a collect without a card', async () => {
      const expected: [ReaderFailure, CollectOutcome][] = [
        ['collision', { kind: 'tryAgain', reason: 'collision' }],
        ['use the chip', { kind: 'tryAgain', reason: 'use-chip' }],
        ['use the stripe', { kind: 'tryAgain', reason: 'use-magstripe' }],
        ['unreadable', { kind: 'tryAgain', reason: 'read-error' }],
      ];
      for (const [failure, outcome] of expected) {
        const stage = await armed();
        stage.fail(failure);
        assert.deepEqual(await stage.outcome, outcome, failure);
        await worksAgain(stage);
      }
    });

    test('who would try again: armed again at once, and told why, until there is a card or an abort', async () => {
      const retrying = async () => {
        const stage = await ready();
        assert.equal(stage.reader.turns, 0);
        const [reasons, abort] = [[] as RetryReason[], new AbortController()];
        const outcome = stage.reader.collect(request, abort.signal, (reason) => reasons.push(reason));
        outcome.catch(() => {});
        await settled();
        for (const failure of ['collision', 'unreadable', 'use the chip'] as const) {
          stage.reported.length = 0;
          stage.fail(failure);
          assert.ok(await pending(outcome), failure);
          assert.equal(stage.reported.at(-1), 'arm', failure);
        }
        assert.deepEqual(reasons, ['collision', 'read-error', 'use-chip']);
        assert.equal(stage.reader.turns, 4, 'armed once, and after each failure');
        stage.reported.length = 0;
        return { ...stage, outcome, abort, reasons };
      };
      const paying = await retrying();
      paying.present('contactless');
      assert.equal((await paying.outcome).kind, 'card');
      await worksAgain(paying);
      const cancelled = await retrying();
      cancelled.holdConfirmation();
      cancelled.abort.abort();
      assert.ok(await pending(cancelled.outcome));
      cancelled.confirm();
      assert.deepEqual(await cancelled.outcome, { kind: 'cancelled' });
      assert.deepEqual(cancelled.reported, ['disarm']);
      await worksAgain(cancelled);
      const atOnce = await retrying();
      atOnce.fail('collision');
      atOnce.abort.abort();
      await atOnce.outcome;
      assert.notEqual(atOnce.reported.at(-1), 'arm', 'nobody waits any more');
      assert.equal(atOnce.reasons.length, 3);
      await worksAgain(atOnce);
      const gone = await retrying();
      gone.unplug();
      await rejects(gone.outcome, 'vanished');
    });

    test('a card that declines offline is refused', async () => {
      const stage = await armed();
      stage.present('declined offline');
      assert.deepEqual(await stage.outcome, { kind: 'refused', reason: 'declined' });
      await worksAgain(stage);
    });

    test('a card in the clear, or for another amount: protocol, nothing of it is told, none waits', async () => {
      for (const wrong of ['clear', 'other amount'] as const) {
        const stage = await armed();
        stage.present(wrong);
        await assert.rejects(stage.outcome, (error) => {
          assert.ok(error instanceof DeviceError && error.code === 'protocol', String(error));
          assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /4761739001010119|34373631373339303031/);
          return true;
        });
        await worksAgain(stage);
      }
    });

    test('a card by an interface that was not armed is none', async () => {
      for (const way of ['contactless', 'chip', 'magstripe'] as const) {
        const others = (['contactless', 'chip', 'magstripe'] as const).filter((other) => other !== way);
        const stage = await armed({ interfaces: others });
        stage.present(way);
        await rejects(stage.outcome, 'protocol');
        await worksAgain(stage);
      }
    });

    test('noise: the reader is disarmed, then try again', async () => {
      const stage = await armed();
      stage.garble();
      await stage.clock.advance(1_000);
      assert.deepEqual(await stage.outcome, { kind: 'tryAgain', reason: 'read-error' });
      assert.deepEqual(stage.reported, ['arm', 'disarm']);
      await worksAgain(stage);
    });

    test('unplugged in each state, and plugged in again', async () => {
      const idle = await ready();
      idle.unplug();
      assert.equal(idle.reader.state, 'absent');
      await rejects(idle.reader.collect(request, new AbortController().signal), 'absent');
      await rejects(idle.reader.pinPad.enterPin(pinRequest, new AbortController().signal), 'absent');
      assert.deepEqual(await idle.reader.complete(approved), { kind: 'lost' });
      idle.plugIn();
      await worksAgain(idle);

      const whileArmed = await armed();
      whileArmed.unplug();
      await rejects(whileArmed.outcome, 'vanished');
      whileArmed.plugIn();
      await worksAgain(whileArmed);

      const whileCancelled = await armed();
      whileCancelled.holdConfirmation();
      whileCancelled.abort.abort();
      await settled();
      whileCancelled.unplug();
      await rejects(whileCancelled.outcome, 'vanished');
      whileCancelled.confirm();
      whileCancelled.plugIn();
      await worksAgain(whileCancelled);

      const atOnce = await armed();
      atOnce.unplug();
      atOnce.plugIn();
      await rejects(atOnce.outcome, 'vanished');
      await worksAgain(atOnce);

      const withChip = await waiting();
      withChip.unplug();
      assert.deepEqual(await withChip.reader.complete(approved), { kind: 'lost' });
      withChip.plugIn();
      await settled();
      assert.deepEqual(await withChip.reader.complete(approved), { kind: 'lost' });
      await worksAgain(withChip);

      const whileDeciding = await deciding();
      whileDeciding.unplug();
      await rejects(whileDeciding.outcome, 'vanished');
      whileDeciding.plugIn();
      await worksAgain(whileDeciding);

      const withPin = await entering();
      withPin.unplug();
      await rejects(withPin.outcome, 'vanished');
      withPin.plugIn();
      await worksAgain(withPin);
    });

    test('nothing is tried while there is no path', async () => {
      const stage = await ready();
      stage.unplug();
      await stage.clock.advance(120_000);
      assert.deepEqual(stage.reported, []);
      assert.equal(stage.clock.pending, 0);
      assert.deepEqual(stage.states, ['absent']);
      stage.plugIn();
      await settled();
      assert.deepEqual(stage.states, ['absent', 'connecting', 'ready']);
    });

    test('a reader that falls silent while idle is noticed', async () => {
      const stage = await ready();
      stage.fallSilent();
      await stage.clock.advance(60_000);
      assert.notEqual(stage.reader.state, 'ready');
      assert.deepEqual(stage.states.slice(0, 2), ['connecting', 'absent']);
    });

    test('a chip: agreed, once', async () => {
      const stage = await deciding();
      assert.ok(await pending(stage.outcome));
      assert.deepEqual(await stage.reader.complete(approved), { kind: 'lost' });
      stage.word('approved');
      const found = await stage.outcome;
      assert.ok(found.kind === 'agreed');
      assert.deepEqual([...found.emv].map(([tag, value]) => `${tag} ${hex(value)}`).sort(), [
        '95 0000008000',
        '9B E800',
        '9F26 9D0E2A1C5B3F4477',
        '9F27 40',
      ]);
      assert.deepEqual(await stage.reader.complete(approved), { kind: 'lost' });
      assert.deepEqual(stage.reported, ['decide'], 'nothing after the last word');
      await worksAgain(stage);
    });

    test('a chip: refused, lost, and never agreed in doubt', async () => {
      const expected: [Parameters<ReaderStage['word']>[0], CardDecision, CardCompletion['kind'] | DeviceErrorCode][] = [
        ['declined', approved, 'refused'],
        ['declined', declined, 'refused'],
        ['declined', { kind: 'unreachable' }, 'refused'],
        ['approved without a certificate', approved, 'refused'],
        ['gone', approved, 'lost'],
        ['damaged', approved, 'protocol'],
        ['approved', declined, 'protocol'],
        ['approved', { kind: 'unreachable' }, 'protocol'],
      ];
      for (const [word, decision, kind] of expected) {
        const stage = await deciding(decision);
        stage.word(word);
        await stage.clock.advance(1_000);
        const found = await stage.outcome.then(
          (completion) => completion.kind,
          (error: unknown) => (error instanceof DeviceError ? error.code : String(error)),
        );
        assert.equal(found, kind, `${word} after ${decision.kind}`);
        await worksAgain(stage);
      }
    });

    test('a chip that says nothing is let go at the deadline, and lost', async () => {
      const stage = await deciding();
      await stage.clock.advance(1_000);
      assert.ok(await pending(stage.outcome));
      await stage.clock.advance(longMs);
      assert.deepEqual(await stage.outcome, { kind: 'lost' });
      assert.deepEqual(stage.reported, ['decide', 'disarm']);
      await worksAgain(stage);
    });

    test('a decision that can not be sent leaves the card waiting', async () => {
      const stage = await waiting();
      await assert.rejects(
        stage.reader.complete({ kind: 'approved', responseCode: '?', issuerData: new Map() }),
        RangeError,
      );
      assert.deepEqual(stage.reported, []);
      const outcome = stage.reader.complete(approved);
      await settled();
      stage.word('approved');
      assert.equal((await outcome).kind, 'agreed');
    });

    test('a chip that nobody decides on is let go: by the next collect, and in the end', async () => {
      const stage = await waiting();
      stage.holdConfirmation();
      const next = stage.reader.collect(request, new AbortController().signal);
      assert.deepEqual(await stage.reader.complete(approved), { kind: 'lost' });
      await settled();
      assert.deepEqual(stage.reported, ['disarm'], 'let go before the next is armed');
      stage.confirm();
      await settled();
      assert.deepEqual(stage.reported, ['disarm', 'arm']);
      stage.present('contactless');
      assert.equal((await next).kind, 'card');

      const forgotten = await waiting();
      await forgotten.clock.advance(300_000);
      assert.deepEqual(forgotten.reported, ['disarm']);
      assert.deepEqual(await forgotten.reader.complete(approved), { kind: 'lost' });
      await worksAgain(forgotten);
    });

    test('a collect waits for a decision that is under way', async () => {
      const stage = await deciding();
      const next = stage.reader.collect(request, new AbortController().signal);
      await settled();
      assert.deepEqual(stage.reported, ['decide']);
      stage.word('approved');
      assert.equal((await stage.outcome).kind, 'agreed');
      await settled();
      assert.deepEqual(stage.reported, ['decide', 'arm']);
      stage.present('contactless');
      assert.equal((await next).kind, 'card');
    });

    test('a PIN, the cancel key, and the time-out of the pad', async () => {
      const entered = await entering();
      entered.pin('pin');
      const found = await entered.outcome;
      assert.ok(found.kind === 'pin');
      assert.equal(found.pin.format, 'ISO-0');
      assert.equal(hex(found.pin.ksn), 'FFFF9876543210E00001');
      assert.equal(hex(found.pin.block), '1B9C1845EB993A7A');
      await worksAgain(entered);
      const byKey = await entering();
      byKey.pin('cancelled by key');
      assert.deepEqual(await byKey.outcome, { kind: 'cancelled' });
      await worksAgain(byKey);
      const late = await entering();
      await late.clock.advance(60_000);
      late.pin('timed out');
      assert.deepEqual(await late.outcome, { kind: 'timeout' });
      assert.deepEqual(late.reported, ['enterPin'], 'no heartbeat disturbs it');
    });

    test('a PIN entry that is aborted settles only once the pad has ended', async () => {
      const stage = await entering();
      stage.holdConfirmation();
      stage.abort.abort();
      stage.abort.abort();
      assert.ok(await pending(stage.outcome));
      await stage.clock.advance(1_000);
      assert.ok(await pending(stage.outcome));
      assert.deepEqual(stage.reported, ['enterPin', 'cancelPin']);
      stage.confirm();
      assert.deepEqual(await stage.outcome, { kind: 'cancelled' });
      await worksAgain(stage);
    });

    test('a PIN that comes after the abort, or with it, is dropped', async () => {
      const crossing = await entering();
      crossing.holdConfirmation();
      crossing.abort.abort();
      await settled();
      crossing.pin('pin');
      await settled();
      crossing.confirm();
      assert.deepEqual(await crossing.outcome, { kind: 'cancelled' });
      await worksAgain(crossing);
      const atOnce = await entering();
      atOnce.pin('pin');
      atOnce.abort.abort();
      assert.deepEqual(await atOnce.outcome, { kind: 'cancelled' });
      await worksAgain(atOnce);
    });

    test('a pad that says nothing, and one that can not be understood', async () => {
      const silent = await entering();
      await silent.clock.advance(60_000);
      assert.ok(await pending(silent.outcome));
      await silent.clock.advance(longMs);
      await rejects(silent.outcome, 'timeout');
      assert.deepEqual(silent.reported, ['enterPin', 'cancelPin']);
      await worksAgain(silent);
      const damaged = await entering();
      damaged.pin('damaged');
      await damaged.clock.advance(1_000);
      await rejects(damaged.outcome, 'protocol');
      await worksAgain(damaged);
    });

    test('close disarms first, then releases everything', async () => {
      const collect = await armed();
      const chip = await waiting();
      const pad = await entering();
      for (const stage of [collect, chip, pad]) {
        stage.reported.length = 0;
        stage.holdConfirmation();
        const closing = stage.reader.close();
        await settled();
        assert.deepEqual(stage.reported, [stage === pad ? 'cancelPin' : 'disarm']);
        assert.equal(stage.pathClosed(), false);
        stage.confirm();
        await closing;
        assert.deepEqual([stage.reader.state, stage.pathClosed(), stage.clock.pending], ['absent', true, 0]);
        assert.equal(stage.listeners(), 0);
        await stage.reader.close();
        await rejects(stage.reader.collect(request, new AbortController().signal), 'absent');
        assert.deepEqual(await stage.reader.complete(approved), { kind: 'lost' });
      }
      assert.deepEqual(await collect.outcome, { kind: 'cancelled' });
      assert.deepEqual(await pad.outcome, { kind: 'cancelled' });
    });

    test('close while the reader is away, and while it is looked for', async () => {
      const away = await ready();
      away.unplug();
      await away.reader.close();
      assert.deepEqual([away.reported, away.pathClosed(), away.clock.pending], [[], true, 0]);
      const sought = await ready();
      sought.unplug();
      sought.fallSilent();
      sought.plugIn();
      await settled();
      await sought.reader.close();
      assert.deepEqual([sought.reader.state, sought.pathClosed(), sought.clock.pending], ['absent', true, 0]);
    });

    test('nothing is left behind by many transactions', async () => {
      const stage = await ready();
      for (let i = 0; i < 60; i++) {
        const { outcome, abort } = await collecting(stage);
        if (i % 3 === 0) abort.abort();
        else stage.present(i % 3 === 1 ? 'magstripe' : 'contactless');
        await outcome;
      }
      assert.equal(stage.clock.pending, 1, 'the heartbeat');
      await stage.reader.close();
      assert.equal(stage.clock.pending, 0);
    });
  });
}

async function pending(promise: Promise<unknown>): Promise<boolean> {
  const nothing = Symbol('nothing');
  await settled();
  return (await Promise.race([promise.catch(() => {}), settled().then(() => nothing)])) === nothing;
}

function rejects(promise: Promise<unknown>, code: DeviceErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof DeviceError, String(error));
    assert.equal(error.code, code);
    return true;
  });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}
