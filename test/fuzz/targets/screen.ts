import assert from 'node:assert/strict';
import { signatureDots } from '../../../src/receipt/lines.ts';
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
  {
    kind: 'sign',
    transaction,
    strokes: [
      [0, 0, 383, 127],
      [12, 30, 14, 33, 20, 31],
    ],
  },
  { kind: 'signOnPaper', transaction },
];
const words = [
  '"kind":',
  '"tender"',
  '"transaction":',
  '"1e5"',
  '"0.00001"',
  '"amount":',
  '"strokes":',
  '[[0,0,1,1]]',
  '384',
  '-1',
];

export const screenActions: Target = {
  name: 'screen-actions',
  share: 4,
  inputs: hostile({ seeds: actions.map(json), tokens: [...jsonTokens, ...words.map(text)], nests: jsonNests }),
  check(input) {
    const action = parseAction(Buffer.from(input).toString());
    if ('refused' in action) assertSilent(action.refused);
    else assert.match(action.transaction, /^[\w-]{1,64}$/);
    if ('strokes' in action) assert.ok(signatureDots(action.strokes).rows.some((byte) => byte !== 0));
  },
};
