import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingText, warn } from '../../src/commissioning/finding.ts';
import { tableOf, terminalState } from '../../src/commissioning/fleet/terminal-state.ts';
import { csvRow } from '../../src/commissioning/journal/sheet.ts';

/** What a broker, a device or a journal has said reaches the terminal of whoever looks, and does not steer it. */

const hostile = '\u001b]0;x\u0007\u009b2J\u202e';
const steering = /[^\P{C}\n]/u;

test('a broker’s states in the table of the fleet', () => {
  const told = {
    status: {
      state: 'online',
      at: hostile,
      version: hostile,
      journal: hostile,
      pendingReversals: 0,
      pendingAdvices: 0,
    },
    configuration: { version: 1, refused: { version: 2, reason: hostile } },
    books: { unsettled: [{ currency: hostile, count: 1, amount: hostile }] },
  };
  const table = tableOf([terminalState(hostile, told, new Date(0), 1)]);
  assert.doesNotMatch(table, steering);
  assert.ok(table.includes('\\u{1b}]0;x\\u{7}\\u{9b}2J\\u{202e}'));
});

test('what a device says in a finding, and a cell of the journal’s sheet', () => {
  const finding = findingText(warn('reader', hostile, `unplug\n${hostile}`));
  assert.doesNotMatch(finding, steering);
  assert.equal(finding.split('\n').length, 3);
  assert.doesNotMatch(csvRow([hostile, 1, undefined]), steering);
});
