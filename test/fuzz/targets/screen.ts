import assert from 'node:assert/strict';
import { parseAction } from '../../../src/screen/action.ts';
import { json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';

const transaction = 'T-1';
const actions = [
  { kind: 'cancel', transaction },
  { kind: 'choose', transaction, mode: 'QR_SCAN' },
  { kind: 'wallet', transaction, scheme: 'ALIPAY' },
  { kind: 'account', transaction, account: 'SAVINGS' },
  { kind: 'tender', transaction, amount: '100.00' },
];
const words = ['"kind":', '"tender"', '"transaction":', '"1e5"', '"0.00001"', '"amount":'];

export const screenActions: Target = {
  name: 'screen-actions',
  share: 4,
  inputs: hostile({ seeds: actions.map(json), tokens: [...jsonTokens, ...words.map(text)], nests: jsonNests }),
  check(input) {
    const action = parseAction(Buffer.from(input).toString());
    if ('refused' in action) assertSilent(action.refused);
    else assert.match(action.transaction, /^[\w-]{1,64}$/);
  },
};
