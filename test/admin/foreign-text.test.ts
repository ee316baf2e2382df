import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { findingText, warn } from '../../src/admin/finding.ts';
import { tableOf, terminalState } from '../../src/admin/fleet/terminal-state.ts';
import { csvRow } from '../../src/admin/journal/export.ts';
import { ownDirectory, poid } from '../cli/poid.ts';
import { provisioning } from './provisioning-input.ts';
import { approved, ShopJournal } from './shop-journal.ts';

/** What a broker, a device or a journal has said reaches the terminal of whoever looks, and does not steer it. */

const hostile = '\u001b]0;x\u0007\u009b2J\u202e';
const steering = /[^\P{C}\n]/u;

test('a broker’s states in the table of the fleet', () => {
  const reported = {
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
  const table = tableOf([terminalState(hostile, reported, new Date(0), 1)]);
  assert.doesNotMatch(table, steering);
  assert.ok(table.includes('\\u{1b}]0;x\\u{7}\\u{9b}2J\\u{202e}'));
});

test('what a device says in a finding, and a cell of the journal’s sheet', () => {
  const finding = findingText(warn('reader', hostile, `unplug\n${hostile}`));
  assert.doesNotMatch(finding, steering);
  assert.equal(finding.split('\n').length, 3);
  assert.doesNotMatch(csvRow([hostile, 1, undefined]), steering);
});

test('each part of a line of the log; a line with an impossible time or value does not end the command', async (t) => {
  const file = path.join(await ownDirectory(t), 'poid.log');
  const lines = [
    { level: hostile, time: 0, msg: hostile, terminalTransactionId: hostile, [hostile]: hostile },
    { level: 30, time: 1e300, msg: 'far' },
    { level: 30, time: -8.64e15, msg: 'at the edge' },
    { level: 30, time: 0, msg: { toString: 1 } },
    { level: { valueOf: 1, toString: 1 }, time: { valueOf: 1, toString: 1 }, msg: hostile },
    { level: 30, time: 0, msg: 'last' },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { code, out, err } = await poid(t, 'logs', '--file', file);
  assert.equal(code, 0, err);
  assert.doesNotMatch(out, steering);
  const shown = out.trimEnd().split('\n');
  assert.equal(shown.length, lines.length, out);
  assert.equal(shown[0]?.split('\\u{1b}]0;x').length, 5, out);
  assert.match(out, /^1e\+300 info  far$/m);
  assert.match(out, / info  last\n$/);
});

test('the id of a transaction in a changed journal', async (t) => {
  const dir = await ownDirectory(t);
  const shop = new ShopJournal(dir);
  shop.sell(approved);
  shop.store.close();
  const sqlite = new DatabaseSync(shop.file, { enableForeignKeyConstraints: false });
  sqlite.prepare('UPDATE txn SET id = ?').run(hostile);
  sqlite.prepare('UPDATE event SET txn_id = ?').run(hostile);
  sqlite.close();
  const { code, out, err } = await poid(t, 'journal', 'show', 'M-1', '--state-dir', dir);
  assert.equal(code, 0, err);
  assert.doesNotMatch(out, steering);
  assert.ok(out.startsWith('\\u{1b}]0;x'), out);
});

test('the former host of an acquirer, in a changed acquirers.json', async (t) => {
  const dir = await ownDirectory(t);
  const stateDir = path.join(dir, 'state');
  mkdirSync(stateDir);
  const shop = new ShopJournal(stateDir);
  shop.sell(approved);
  shop.store.close();
  const { serialNumber: _serialNumber, ...settings } = provisioning;
  const [edc] = settings['acquirers'] as readonly object[];
  const file = path.join(dir, 'poid.json');
  writeFileSync(file, JSON.stringify({ ...settings, acquirers: [edc], stateDir }));
  const former = { acquirers: [{ ...edc, host: `old\n${hostile}`, currencies: ['HKD'] }] };
  writeFileSync(path.join(stateDir, 'acquirers.json'), JSON.stringify(former), { mode: 0o600 });
  const { code, out, err } = await poid(t, 'acquirer', 'moved', 'EDC', '--config', file);
  assert.equal(code, 0, err);
  assert.doesNotMatch(out, steering);
  assert.match(out, /^EDC has moved from old\\u\{a\}\\u\{1b\}\]0;x.* to 192\.0\.2\.1:5000: /);
});
