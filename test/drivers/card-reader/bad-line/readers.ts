import { hidFrames } from '../../../../drivers/card-reader/neo2/hid-frames.ts';
import { mmsReader } from '../../../../drivers/card-reader/mms/reader.ts';
import { neo2Reader, type Neo2Reader as Driver } from '../../../../drivers/card-reader/neo2/reader.ts';
import type { Transport } from '../../../../drivers/transport/transport.ts';
import type { Pty } from '../../../../hw-sim/pty.ts';
import { MmsReader } from '../../../../hw-sim/reader/mms/reader.ts';
import { hidLine } from '../../../../hw-sim/reader/neo2/hid.ts';
import { Neo2Reader } from '../../../../hw-sim/reader/neo2/reader.ts';
import type { Clock } from '../../../../src/base/ports/clock.ts';
import { keys } from '../../../hw-sim/reader/stage.ts';
import { reportWire } from './report-wire.ts';

export type Device = Neo2Reader | MmsReader;

export interface Pair {
  readonly device: Device;
  readonly driver: Omit<Driver, 'firmware'>;
}

/** A driver and the simulator of its device, on the two ends of a wire. */
export interface ReaderKind {
  readonly name: string;
  /** What a fault of the line happens to. */
  readonly unit: 'byte' | 'report';
  readonly open: (line: Pty, host: Transport, clock: Clock, random: (bytes: number) => Buffer) => Pair;
}

export const readers: readonly ReaderKind[] = [
  {
    name: 'NEO2 on a serial line',
    unit: 'byte',
    open: (line, host, clock, random) => ({
      device: new Neo2Reader(line, { ...keys, now: () => clock.now(), random }),
      driver: neo2Reader(host, { clock }),
    }),
  },
  {
    name: 'NEO2 on HID',
    unit: 'report',
    open: (line, host, clock, random) => {
      const { port, reports } = reportWire(line, host);
      return {
        device: new Neo2Reader(hidLine(port), { ...keys, now: () => clock.now(), random, carrier: 'uhid' }),
        driver: neo2Reader(hidFrames(reports), { clock }),
      };
    },
  },
  {
    name: 'MMS on HID',
    unit: 'report',
    open: (line, host, clock, random) => {
      const { port, reports } = reportWire(line, host);
      return {
        device: new MmsReader(port, { ...keys, now: () => clock.now(), random }),
        driver: mmsReader(reports, { clock }),
      };
    },
  },
];
