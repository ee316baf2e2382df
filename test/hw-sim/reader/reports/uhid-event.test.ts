import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hidIdentities } from '../../../../hw-sim/reader/reports/identity.ts';
import {
  createEvent,
  destroyEvent,
  eventBytesMax,
  inputEvent,
  readEvent,
} from '../../../../hw-sim/reader/reports/uhid-event.ts';
import { hex } from '../wire.ts';

/** Offsets of include/uapi/linux/uhid.h, written down once more: packed, type first. */
describe('what is said to the kernel', () => {
  test('UHID_CREATE2, field by field', () => {
    const event = createEvent(hidIdentities.mms);
    assert.equal(event.length, 4376);
    assert.ok(event.length <= eventBytesMax);
    assert.equal(event.readUInt32LE(0), 11);
    assert.equal(textAt(event, 4, 128), 'MagTek DynaFlex (simulated)');
    assert.equal(textAt(event, 132, 64), 'poid/simulator');
    assert.equal(textAt(event, 196, 64), 'SIM0001');
    const { descriptor } = hidIdentities.mms;
    assert.equal(event.readUInt16LE(260), descriptor.length);
    assert.equal(event.readUInt16LE(262), 3, 'USB');
    assert.equal(event.readUInt32LE(264), 0x0801);
    assert.equal(event.readUInt32LE(268), 0x2020);
    assert.equal(event.readUInt32LE(276), 0, 'country');
    assert.deepEqual(event.subarray(280, 280 + descriptor.length), descriptor);
    assert.ok(event.subarray(280 + descriptor.length).every((byte) => byte === 0));
  });

  test('texts that are too long end with a zero all the same', () => {
    const event = createEvent({ ...hidIdentities.neo2, name: 'n'.repeat(300), serial: 's'.repeat(300) });
    assert.equal(textAt(event, 4, 128), 'n'.repeat(127));
    assert.equal(textAt(event, 196, 64), 's'.repeat(63));
    assert.equal(event.readUInt32LE(264), 0x0acd);
    assert.equal(event.readUInt32LE(268), 0x3530);
  });

  test('a descriptor that is too long is none', () => {
    assert.throws(() => createEvent({ ...hidIdentities.mms, descriptor: Buffer.alloc(4097) }), RangeError);
  });

  test('UHID_DESTROY and UHID_INPUT2', () => {
    assert.equal(destroyEvent().toString('hex'), '01000000');
    assert.equal(inputEvent(hex('0102')).toString('hex'), '0c0000000200 0102'.replace(' ', ''));
    assert.equal(inputEvent(Buffer.alloc(64)).length, 70);
  });
});

describe('what the kernel says', () => {
  test('UHID_OUTPUT of a report with an id', () => {
    const report = Buffer.alloc(64, 7);
    assert.deepEqual(readEvent(output(report)), { kind: 'output', report });
  });

  test('UHID_OUTPUT of a report without one: the 00 in front is no part of it', () => {
    const report = Buffer.alloc(64, 7);
    assert.deepEqual(readEvent(output(Buffer.concat([Buffer.of(0), report]))), { kind: 'output', report });
  });

  test('UHID_OUTPUT of another length is no report', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(63, 7), Buffer.alloc(65, 7), Buffer.alloc(66)]) {
      assert.deepEqual(readEvent(output(bytes)), { kind: 'unexpected', bytes });
    }
  });

  test('UHID_GET_REPORT and UHID_SET_REPORT: asks, and hears EIO', () => {
    const get = Buffer.alloc(eventBytesMax);
    get.writeUInt32LE(9);
    get.writeUInt32LE(0x01020304, 4);
    assert.deepEqual(readEvent(get), { kind: 'ask', reply: hex('0A000000 04030201 0500 0000') });
    const set = Buffer.alloc(eventBytesMax);
    set.writeUInt32LE(13);
    set.writeUInt32LE(0x01020304, 4);
    assert.deepEqual(readEvent(set), { kind: 'ask', reply: hex('0E000000 04030201 0500') });
  });

  test('UHID_STOP, and what needs nothing', () => {
    for (const [type, kind] of [
      [2, 'other'],
      [3, 'stop'],
      [4, 'other'],
      [5, 'other'],
      [99, 'other'],
    ] as const) {
      const event = Buffer.alloc(eventBytesMax);
      event.writeUInt32LE(type);
      assert.deepEqual(readEvent(event), { kind });
    }
  });

  test('too little is no event', () => {
    assert.equal(readEvent(Buffer.alloc(0)), undefined);
    assert.equal(readEvent(Buffer.alloc(7)), undefined);
    assert.deepEqual(readEvent(output(Buffer.alloc(64)).subarray(0, 100)), {
      kind: 'unexpected',
      bytes: Buffer.alloc(0),
    });
  });
});

describe('report descriptors', () => {
  test('MagTek: 64 bytes in, 64 out, on page FF00, no report id', () => {
    assert.equal(
      hidIdentities.mms.descriptor.toString('hex'),
      '0600ff0901a101150026ff00750895400901810295400901 9102c0'.replace(' ', ''),
    );
  });

  test('NEO2: ids 1 to 4, 63 bytes in and out', () => {
    const each = (id: string): string => `85${id}953f09018102953f09019102`;
    assert.equal(
      hidIdentities.neo2.descriptor.toString('hex'),
      `0600ff0901a101150026ff007508${['01', '02', '03', '04'].map(each).join('')}c0`,
    );
  });
});

/** struct uhid_output_req: data[4096], size, rtype. */
function output(data: Buffer): Buffer {
  const event = Buffer.alloc(eventBytesMax);
  event.writeUInt32LE(6);
  data.copy(event, 4);
  event.writeUInt16LE(data.length, 4 + 4096);
  event[4 + 4096 + 2] = 1;
  return event;
}

function textAt(event: Buffer, at: number, bytes: number): string {
  assert.equal(event[at + bytes - 1], 0);
  return event.toString('latin1', at, event.indexOf(0, at));
}
