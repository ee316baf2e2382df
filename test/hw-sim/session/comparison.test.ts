import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparable, firstDifference } from '../../../hw-sim/session/comparison.ts';
import type { Recording, RecordedFrame } from '../../../hw-sim/session/recording.ts';
import { hostStory } from '../../../hw-sim/session/story.ts';

const lines = [
  { name: 'till', protocol: 'HTTP' },
  { name: 'reader', protocol: 'NEO2' },
  { name: 'EDC', protocol: 'ISO 8583' },
  { name: 'QR', protocol: 'HTTP' },
  { name: 'octopus', protocol: 'Octopus' },
];

function frame(line: string, direction: RecordedFrame['direction'], summary: string): RecordedFrame {
  return { atMs: 0, line, connection: 1, direction, kind: 'frame', length: 1, summary, bytes: '00' };
}
const to = (line: string, summary: string) => frame(line, 'fromTerminal', summary);
const from = (line: string, summary: string) => frame(line, 'toTerminal', summary);

function recording(frames: RecordedFrame[], more: Partial<Recording> = {}): Recording {
  const hosts = hostStory({ lines, frames });
  return { format: 2, leftOff: [], steps: [], hosts, events: [], lines, frames, ...more };
}

/** The sentences of all differences. */
function differences(recorded: Recording, now: Recording): string[] {
  return comparable(recorded, now)
    .stories.map(firstDifference)
    .filter((each) => each !== undefined);
}

const sale = [
  to('reader', '02-40 activate transaction · HKD 30.00'),
  from('reader', '02/23 transaction: request for online authorization · HKD 30.00'),
  to('EDC', '0200 financial request · purchase · HKD 30.00 · STAN 000123'),
  from('EDC', '0210 financial answer · purchase · 30.00 · STAN 000123 · 00 approved'),
];

describe('two recordings of the same', () => {
  it('are the same with other trace numbers, pings, polling, and a question asked more often', () => {
    const asked = [to('QR', 'POST enquiry · A-1'), from('QR', 'HTTP 200 · 1145 processing · A-1')];
    const paid = from('QR', 'HTTP 200 · HKD 30.00 · 0000 success');
    const other = sale.map((each) => ({ ...each, summary: each.summary.replace('000123', '000999') }));
    const polled = { ...to('reader', 'poll'), polling: true as const };
    const idle = [to('reader', '18-01 ping'), from('reader', '18/00 ping: OK'), polled];
    const now = [idle, other, asked, asked, asked, [to('QR', 'POST enquiry · A-1'), paid]].flat();
    assert.deepEqual(
      differences(recording([...sale, ...asked, to('QR', 'POST enquiry · B-7'), paid]), recording(now)),
      [],
    );
  });

  it('are the same however long an Octopus card stays away', () => {
    const asked = to('octopus', 'deduct · amount HKD 30.00');
    const torn = [asked, from('octopus', '100022 incomplete: the same card again')];
    const away = [asked, from('octopus', '100025 still incomplete')];
    const back = [asked, from('octopus', '0 done · balance HKD 20.00')];
    const at = (...frames: RecordedFrame[][]) => recording(frames.flat());
    assert.deepEqual(differences(at(torn, back), at(torn, away, away, away, back)), []);
    assert.deepEqual(differences(at(torn, away, back), at(torn, back)), []);
    assert.equal(differences(at(torn, away, back), at(torn, away)).length, 1);
  });

  it('differ where a line has another kind of frame, and the sentence tells the first one', () => {
    const now = sale.toSpliced(1, 1, from('reader', '02/0A transaction: failed · failed, use the chip'));
    assert.deepEqual(differences(recording(sale), recording(now)), [
      'the line reader: recorded "← 02/23 transaction: request for online authorization", now "← 02/0A transaction: failed" ' +
        '(1 before it as recorded, the last "→ 02-40 activate transaction")',
    ]);
  });

  it('differ where the order of frames does', () => {
    assert.equal(differences(recording(sale), recording(sale.toReversed())).length, 2);
  });

  it('differ where a card host is asked once more, not where a receipt comes after the recording', () => {
    const more = [...sale, to('reader', '05-01 cancel transaction')];
    assert.deepEqual(differences(recording(sale), recording(more)), []);
    assert.deepEqual(differences(recording(sale), recording([...sale, to('EDC', '0400 reversal · HKD 30.00')])), [
      'the card hosts: recorded nothing more, now "EDC 0400 reversal · HKD 30.00" ' +
        '(2 before it as recorded, the last "EDC 0210 financial answer · purchase · 30.00 · 00 approved")',
    ]);
    assert.equal(differences(recording(more), recording(sale)).length, 1);
  });

  it('differ where the terminal told other states of a request, or another receipt', () => {
    const reported = (...states: string[]) => [
      ...states.map((state) => ({ atMs: 0, event: 'state', of: 0, told: { state } })),
      { atMs: 0, event: 'receipt', of: 0, told: { receiptStatus: 'PRINTED' } },
      { atMs: 0, event: 'state', told: { state: 'idle' } },
    ];
    const recorded = recording([], { events: reported('collecting', 'authorizing', 'approved') });
    assert.deepEqual(
      differences(recorded, recording([], { events: reported('collecting', 'authorizing', 'approved') })),
      [],
    );
    assert.deepEqual(
      differences(recorded, recording([], { events: reported('collecting', 'authorizing', 'declined') })),
      ['request 1, its states: recorded "approved", now "declined" (2 before it as recorded, the last "authorizing")'],
    );
  });

  it('are not compared where one of them lacks something, and a sentence says so', () => {
    const leftOff = [{ what: 'EDC', why: 'EDC: earlier frames are left off' }];
    const events = [{ atMs: 0, event: 'reset', told: { reason: 'restarted' } }];
    const mms = lines.map((each) => (each.name === 'reader' ? { ...each, protocol: 'MMS' } : each));
    const now = recording([to('reader', 'start transaction')], { leftOff, events, lines: mms });
    assert.deepEqual(differences(recording(sale), now), []);
    assert.deepEqual(comparable(recording(sale), now).notCompared, [
      'events: the terminal was restarted in this run, and may have told more',
      'EDC: earlier frames are left off (this run)',
      'reader: recorded with NEO2, now MMS',
    ]);
  });
});
