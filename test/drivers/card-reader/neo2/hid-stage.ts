import assert from 'node:assert/strict';
import { hidFrames } from '../../../../drivers/card-reader/neo2/hid-frames.ts';
import { neo2Reader, type Neo2Reader } from '../../../../drivers/card-reader/neo2/reader.ts';
import type { DeviceState } from '../../../../src/base/ports/device.ts';
import type { CardOnWire, ReaderStage, ReaderFailure, Reported } from '../contract.ts';
import { ScriptedPath } from '../scripted-path.ts';
import { answer } from './card-answer.ts';
import { named } from './fixture-frames.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** What the device has under way, and the commands that it takes meanwhile (fixtures/README.md). */
const taken = {
  nothing: undefined,
  armed: ['0501'],
  chip: ['0501', '6012'],
  pin: ['6200'],
} as const satisfies Record<string, readonly string[] | undefined>;

export interface Neo2Stage extends ReaderStage {
  readonly reader: Neo2Reader;
  readonly path: ScriptedPath;
  readonly send: (...frames: Uint8Array[]) => void;
}

/** A script of a device, and the driver on the other end: of bytes, or of HID reports that are cut and joined here. */
export function neo2Stage(wire: 'serial' | 'hid'): Neo2Stage {
  const path = new ScriptedPath();
  const clock = new ManualClock();
  const reported: Reported[] = [];
  let busy: keyof typeof taken = 'nothing';
  let chipArmed = false;
  let silent = false;
  let held: (() => void)[] | undefined;
  let partial = new Uint8Array();

  const send = (...frames: Uint8Array[]) => {
    for (const frame of frames) for (const part of wire === 'hid' ? reportsOf(frame) : [frame]) path.receive(part);
  };

  const confirmed = (frame: Uint8Array) => {
    if (held) held.push(() => send(frame));
    else send(frame);
  };

  const commanded = (command: string) => {
    const allowed: readonly string[] = taken[busy] ?? [command];
    assert.ok(allowed.includes(command), `${command} while ${busy}`);
    switch (command) {
      case '0501':
        busy = 'nothing';
        reported.push('disarm');
        return confirmed(answer(0x05, 0x00));
      case '1801':
        return send(named('ping answer'));
      case '2900':
        return send(answer(0x29, 0x00, Buffer.from('VP3350 FW v1.01.052\0')));
      case '0101':
        return send(named('set poll mode answer, seen in the wild'));
      case '0240':
        busy = 'armed';
        reported.push('arm');
        return;
      case '6012':
        busy = 'nothing';
        reported.push('decide');
        return send(named('contact command, first answer'));
      case '6201':
        busy = 'pin';
        reported.push('enterPin');
        return send(named('enter PIN, first answer'));
      case '6200':
        busy = 'nothing';
        reported.push('cancelPin');
        return confirmed(named('enter PIN answer, cancelled by command'));
      default:
        throw new Error(`no such command: ${command}`);
    }
  };

  path.onWrite = (bytes) => {
    const whole = wire === 'serial' ? bytes : joined(bytes);
    if (!whole || silent) return;
    const text = Buffer.from(whole).toString('hex');
    const interfaces = /dfef3701(\w\w)/.exec(text)?.[1];
    if (interfaces) chipArmed = (Number.parseInt(interfaces, 16) & 0x04) !== 0;
    commanded(text.slice(20, 24));
  };

  const joined = (report: Uint8Array): Uint8Array | undefined => {
    const [id] = report;
    assert.ok(id === 0x01 || id === 0x02 || partial.length > 0, 'a report before its first');
    partial = Uint8Array.of(...(id === 0x01 || id === 0x02 ? [] : partial), ...report.subarray(1));
    if (id === 0x02 || id === 0x03) return undefined;
    const frame = partial.subarray(0, 16 + ((partial[12] ?? 0) << 8) + (partial[13] ?? 0));
    partial = new Uint8Array();
    return frame;
  };

  const present = (card: CardOnWire) => {
    // One that crosses with its cancellation is let go by it.
    busy = card === 'chip' && chipArmed && !held?.length ? 'chip' : 'nothing';
    const chip = named('chip that waits for its decision').slice(14, -2);
    const contactless = Buffer.from(chip);
    contactless[0] = 0xc1;
    const but = (from: string, to: string) => {
      const changed = contactless.toString('hex').replace(from, to);
      assert.notEqual(changed, contactless.toString('hex'));
      return Buffer.from(changed, 'hex');
    };
    switch (card) {
      case 'contactless':
        return send(answer(0x02, 0x23, contactless));
      case 'chip':
        return send(named('chip that waits for its decision'));
      case 'magstripe':
        return send(named('stripe'));
      case 'fallback':
        return send(named('stripe after a chip that could not be read'));
      case 'clear':
        return send(answer(0x02, 0x23, but('5aa108476173cccccc0119', '5a084761739001010119')));
      case 'other amount':
        return send(answer(0x02, 0x23, but('9f0206000000003000', '9f0206000000003001')));
      case 'declined offline':
        return send(answer(0x02, 0x00, but('9f270180', '9f270100')));
      default:
        return card satisfies never;
    }
  };

  const fail = (failure: ReaderFailure) => {
    busy = 'nothing';
    const error = (code: number) => send(answer(0x02, 0x0a, Uint8Array.of(0xff, 0xee, 0x1f, 4, code, 0, 0, 0)));
    switch (failure) {
      case 'collision':
        return error(0x21);
      case 'unreadable':
        return error(0x24);
      case 'timed out':
        return send(answer(0x02, 0x08));
      case 'use the chip':
      case 'use the stripe':
        return send(named(failure));
      default:
        return failure satisfies never;
    }
  };

  const damaged = (frame: Uint8Array) => frame.map((byte, at) => (at === 20 ? byte ^ 0x01 : byte));
  const certified = named('apply host response answer, approved with a certificate');

  const word: ReaderStage['word'] = (said) => {
    switch (said) {
      case 'approved':
        return send(certified);
      case 'declined':
        return send(named('apply host response answer, declined'));
      case 'approved without a certificate': {
        const data = Buffer.from(certified.slice(14, -2)).toString('hex').replace('9f270140', '9f270100');
        return send(answer(0x60, 0x00, Buffer.from(data, 'hex')));
      }
      case 'gone':
        return send(named('apply host response answer, card gone'));
      case 'damaged':
        return send(damaged(certified));
      default:
        return said satisfies never;
    }
  };

  const pin: ReaderStage['pin'] = (said) => {
    if (said !== 'damaged') busy = 'nothing';
    if (said === 'pin') send(named('enter PIN answer, PIN'));
    else if (said === 'cancelled by key') send(named('enter PIN answer, cancel key'));
    else if (said === 'timed out') send(named('enter PIN answer, time-out'));
    else send(damaged(named('enter PIN answer, PIN')));
  };

  const reader = neo2Reader(wire === 'hid' ? hidFrames(path) : path, { clock });
  const states: DeviceState[] = [];
  reader.onState((state) => states.push(state));

  return {
    reader,
    clock,
    path,
    reported,
    states,
    send,
    present,
    fail,
    word,
    pin,
    holdConfirmation: () => {
      held = [];
    },
    confirm: () => {
      const waiting = held ?? [];
      held = undefined;
      for (const say of waiting) say();
    },
    fallSilent: () => {
      silent = true;
    },
    garble: () => path.receive(new Uint8Array(64).fill(0xaa, 1).fill(0x01, 0, 1)),
    unplug: () => {
      busy = 'nothing';
      partial = new Uint8Array();
      path.become('absent');
    },
    plugIn: () => path.become('ready'),
    pathClosed: () => path.closed,
    listeners: () => path.listeners,
  };
}

/** As the device cuts a frame: an id and 63 bytes. */
export function reportsOf(frame: Uint8Array): Uint8Array[] {
  const count = Math.ceil(frame.length / 63);
  return Array.from({ length: count }, (_, i) => {
    const id = count === 1 ? 0x01 : i === 0 ? 0x02 : i === count - 1 ? 0x04 : 0x03;
    const payload = frame.subarray(i * 63, (i + 1) * 63);
    return Uint8Array.from({ length: 64 }, (_unused, at) => (at === 0 ? id : (payload[at - 1] ?? 0)));
  });
}
