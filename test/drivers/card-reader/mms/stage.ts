import assert from 'node:assert/strict';
import { mmsReader, type MmsReader } from '../../../../drivers/card-reader/mms/reader.ts';
import type { DeviceState } from '../../../../src/base/ports/device.ts';
import type { CardOnWire, ReaderStage, ReaderFailure, Reported } from '../contract.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { ScriptedPath } from '../scripted-path.ts';
import { answerTo, changed, hex, named, request } from './fixture-messages.ts';

/** What the device has under way. A contactless card asks, and waits for its resume. */
type Busy = 'nothing' | 'armed' | 'contactless' | 'chip' | 'pin';

export interface MmsStage extends ReaderStage {
  readonly reader: MmsReader;
  readonly path: ScriptedPath;
  /** Requests by their id, as hex: '1001'. */
  readonly requests: string[];
  readonly messages: Uint8Array[];
  readonly send: (...messages: Uint8Array[]) => void;
  /** The device does nothing by itself: the test answers. */
  readonly byHand: () => void;
  /** Of the last request. */
  readonly reference: () => number;
}

/** A script of a device, and the driver on the other end. The reports are cut and joined here, not by the driver's code. */
export function mmsStage(): MmsStage {
  const path = new ScriptedPath();
  const clock = new ManualClock();
  const reported: Reported[] = [];
  const requests: string[] = [];
  const messages: Uint8Array[] = [];
  let busy: Busy = 'nothing';
  let manual = false;
  let silent = false;
  let held: (() => void)[] | undefined;
  let partial = new Uint8Array();

  const send = (...out: Uint8Array[]) => {
    for (const message of out) for (const report of reportsOf(message)) path.receive(report);
  };
  const endWith = (...out: Uint8Array[]) => {
    busy = 'nothing';
    send(...out);
  };
  const over = (how: string) => named(`transaction over, ${how}`);

  const cancelled = (reference: number) => {
    if (busy === 'nothing' || busy === 'pin') return send(answerTo(reference, 'cancel answer, no transaction'));
    endWith(answerTo(reference, 'cancel answer'), over('cancelled'));
  };

  const asked = (id: string, reference: number) => {
    switch (id) {
      case '1001':
        assert.equal(busy, 'nothing', 'a start while something is under way');
        reported.push('arm');
        busy = 'armed';
        return send(answerTo(reference, 'start answer'));
      case '2001':
        if (hex(messages.at(-1) ?? new Uint8Array()) === hex(request('end PIN entry', reference))) {
          if (busy !== 'pin') return send(answerTo(reference, 'end PIN entry answer, nothing to end'));
          reported.push('cancelPin');
          const ended = () => endWith(answerTo(reference, 'end PIN entry answer'), named('PIN entry cancelled'));
          if (held) held.push(ended);
          else ended();
          return;
        }
        assert.equal(busy, 'nothing', 'a PIN entry while something is under way');
        reported.push('enterPin');
        busy = 'pin';
        return send(answerTo(reference, 'enter PIN answer'));
      case '1008':
        if (busy !== 'nothing') reported.push('disarm');
        if (held) held.push(() => cancelled(reference));
        else cancelled(reference);
        return;
      case '1004':
        if (busy === 'contactless') {
          const isApproved = hex(messages.at(-1) ?? new Uint8Array()).includes('8a023030');
          return endWith(
            answerTo(reference, 'resume answer'),
            ...(isApproved ? [over('contactless approved')] : []),
            ...(isApproved ? [] : [named('contactless: batch data, declined'), over('contactless declined')]),
          );
        }
        reported.push('decide');
        return send(answerTo(reference, busy === 'chip' ? 'resume answer' : 'resume answer, no transaction'));
      default:
        throw new Error(`no such request: ${id}`);
    }
  };

  path.onWrite = (report) => {
    const length = report[1] ?? 0;
    if (report[0] === 0x00) partial = report.slice(2, 2 + length);
    else if (report[0] === 0x01) partial = report.slice(5);
    else if (report[0] === 0x02) partial = Uint8Array.of(...partial, ...report.subarray(3));
    else if (report[0] === 0x03) partial = Uint8Array.of(...partial, ...report.subarray(2, 2 + length));
    else throw new Error('no such report');
    if (report[0] === 0x01 || report[0] === 0x02) return;
    const id = Buffer.from(partial.subarray(6, 8)).toString('hex');
    requests.push(id);
    messages.push(partial);
    if (!silent && !manual) asked(id, partial[5] ?? 0);
  };

  const present = (card: CardOnWire) => {
    switch (card) {
      case 'contactless':
      case 'clear':
      case 'other amount': {
        busy = 'contactless';
        const name = 'contactless card asks for authorization';
        if (card === 'clear') return send(changed(name, '303030303030303131393d', '393030313031303131393d'));
        if (card === 'other amount') return send(changed(name, '9f0206000000003000', '9f0206000000003001'));
        return send(named('contactless card detected'), named(name));
      }
      case 'chip':
        busy = 'chip';
        return send(
          named('contact card detected'),
          named('contact card inserted'),
          named('chip asks for authorization'),
        );
      case 'magstripe':
        return endWith(named('stripe'), over('stripe approved'));
      case 'fallback':
        return endWith(named('stripe after a chip that could not be read'), over('stripe approved'));
      case 'declined offline':
        return endWith(named('contactless card declines offline'), over('contactless declined offline'));
      default:
        return card satisfies never;
    }
  };

  const fail = (failure: ReaderFailure) => {
    switch (failure) {
      case 'collision':
        return send(named('contactless collision'));
      case 'unreadable':
        return endWith(over('card error'));
      case 'timed out':
      case 'use the chip':
      case 'use the stripe':
        return endWith(over(failure));
      default:
        return failure satisfies never;
    }
  };

  const word: ReaderStage['word'] = (said) => {
    const certified = 'chip: batch data, approved with a certificate';
    switch (said) {
      case 'approved':
        return endWith(named(certified), over('chip approved'));
      case 'declined':
        return endWith(named('chip: batch data, declined'), over('chip declined'));
      case 'approved without a certificate':
        return endWith(changed(certified, '9f270140', '9f270100'), over('chip approved'));
      case 'gone':
        return endWith(named('contact card removed'), over('chip failed'));
      case 'damaged': {
        // The second of its reports never came.
        const [first, , ...rest] = reportsOf(named('chip asks for authorization'));
        for (const report of [first, ...rest]) if (report) path.receive(report);
        return;
      }
      default:
        return said satisfies never;
    }
  };

  const pin: ReaderStage['pin'] = (said) => {
    if (said === 'pin') endWith(named('PIN'));
    else if (said === 'cancelled by key') endWith(named('PIN entry cancelled'));
    else if (said === 'timed out') endWith(named('PIN entry timed out'));
    else send(named('PIN').subarray(0, 20));
  };

  const reader = mmsReader(path, { clock });
  const states: DeviceState[] = [];
  reader.onState((state) => states.push(state));

  return {
    reader,
    clock,
    path,
    reported,
    states,
    requests,
    messages,
    send,
    present,
    fail,
    word,
    pin,
    byHand: () => {
      manual = true;
    },
    reference: () => messages.at(-1)?.[5] ?? 0,
    holdConfirmation: () => {
      held = [];
    },
    confirm: () => {
      const waiting = held ?? [];
      held = undefined;
      for (const answer of waiting) answer();
    },
    fallSilent: () => {
      silent = true;
    },
    garble: () => path.receive(new Uint8Array(64).fill(0xaa)),
    unplug: () => {
      busy = 'nothing';
      path.become('absent');
    },
    plugIn: () => path.become('ready'),
    pathClosed: () => path.closed,
    listeners: () => path.listeners,
  };
}

/** As the device cuts a message: 62 bytes in one report, else 59, then 61 each, and the rest. */
export function reportsOf(message: Uint8Array): Uint8Array[] {
  const report = (...parts: (number | Uint8Array)[]) => {
    const all = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part)));
    return Uint8Array.from({ length: 64 }, (_, i) => all[i] ?? 0);
  };
  const { length } = message;
  if (length <= 62) return [report(0x00, length, message)];
  const reports = [report(0x01, 0, 0, length >> 8, length & 0xff, message.subarray(0, 59))];
  let at = 59;
  for (; length - at > 62; at += 61) reports.push(report(0x02, 0, reports.length, message.subarray(at, at + 61)));
  return [...reports, report(0x03, length - at, message.subarray(at))];
}
