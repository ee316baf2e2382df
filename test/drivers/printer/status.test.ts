import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStatusAnswer, printerStatus, statusRequest } from '../../../drivers/printer/escpos/status.ts';

const fine = { printer: 0x12, offlineCause: 0x12, paper: 0x12 };

test('the request is DLE EOT n', () => {
  assert.deepEqual([...statusRequest(1)], [0x10, 0x04, 0x01]);
  assert.deepEqual([...statusRequest(2)], [0x10, 0x04, 0x02]);
  assert.deepEqual([...statusRequest(4)], [0x10, 0x04, 0x04]);
});

test('the published answers', () => {
  assert.deepEqual(printerStatus(fine), { paperNearEnd: false });
  const published = [
    ['offline (n=1)', { printer: 0x1a }, { fault: 'error', paperNearEnd: false }],
    ['waiting for recovery (n=1)', { printer: 0x32 }, { fault: 'error', paperNearEnd: false }],
    ['drawer pin 3 high (n=1)', { printer: 0x16 }, { paperNearEnd: false }],
    ['feed button (n=1)', { printer: 0x52 }, { paperNearEnd: false }],
    ['cover open (n=2)', { offlineCause: 0x16 }, { fault: 'cover-open', paperNearEnd: false }],
    ['feed button (n=2)', { offlineCause: 0x1a }, { paperNearEnd: false }],
    ['paper end (n=2)', { offlineCause: 0x32 }, { fault: 'paper-out', paperNearEnd: true }],
    ['error (n=2)', { offlineCause: 0x52 }, { fault: 'error', paperNearEnd: false }],
    ['near end (n=4)', { paper: 0x1e }, { paperNearEnd: true }],
    ['no paper (n=4)', { paper: 0x72 }, { fault: 'paper-out', paperNearEnd: true }],
    ['no paper, near end too (n=4)', { paper: 0x7e }, { fault: 'paper-out', paperNearEnd: true }],
  ] as const;
  for (const [what, answers, status] of published)
    assert.deepEqual(printerStatus({ ...fine, ...answers }), status, what);
});

test('one bit of a pair is enough', () => {
  for (const paper of [0x32, 0x52]) assert.equal(printerStatus({ ...fine, paper }).fault, 'paper-out');
  for (const paper of [0x16, 0x1a]) assert.deepEqual(printerStatus({ ...fine, paper }), { paperNearEnd: true });
});

test('of several faults the one to mend first is named', () => {
  assert.equal(printerStatus({ printer: 0x1a, offlineCause: 0x36, paper: 0x7e }).fault, 'cover-open');
  assert.equal(printerStatus({ printer: 0x1a, offlineCause: 0x32, paper: 0x12 }).fault, 'paper-out');
  assert.equal(printerStatus({ printer: 0x1a, offlineCause: 0x72, paper: 0x7e }).fault, 'paper-out');
});

test('an answer is known by its fixed bits: 0xx1xx10', () => {
  const answers = Array.from({ length: 256 }, (_, byte) => byte).filter(isStatusAnswer);
  assert.deepEqual(
    answers.map((byte) => byte.toString(2).padStart(8, '0')),
    ['00', '01', '10', '11'].flatMap((high) => ['00', '01', '10', '11'].map((low) => `0${high}1${low}10`)),
  );
});

test('automatic status, XON and XOFF are no answers', () => {
  // First bytes 0xx1xx00, the others with bit 4 clear; bits that may be set: drawer, offline, cover, feed; errors; paper.
  const automatic = [0x10, 0x14, 0x18, 0x30, 0x38, 0x50, 0x7c, 0x00, 0x04, 0x08, 0x20, 0x40, 0x6c, 0x03, 0x0c, 0x0f];
  for (const byte of [...automatic, 0x11, 0x13, 0xff]) assert.equal(isStatusAnswer(byte), false, byte.toString(16));
});
