import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { decodeMessage } from '../../../hw-sim/host/iso8583/message.ts';
import { formOf, type OperationName, operationOf } from '../../../hw-sim/host/iso8583/operation.ts';
import { isKnownType, type ProfileName, profiles } from '../../../hw-sim/host/iso8583/profile.ts';

interface Vector {
  readonly name: string;
  readonly hex: string;
}

const messages = JSON.parse(
  readFileSync(new URL('../../../fixtures/messages/terminal.json', import.meta.url), 'utf8'),
) as readonly Vector[];

/** A whole frame: length and TPDU come first. */
const decoded = ({ hex }: Vector) => decodeMessage(Buffer.from(hex, 'hex').subarray(7));

/** What the name of a vector says that it is; the first that fits. */
const operationNames: readonly [name: RegExp, operation: OperationName][] = [
  [/^reversal of/, 'reversal'],
  [/^upload of/, 'upload'],
  [/^(?:EPS )?sale/, 'sale'],
  [/^void of a refund/, 'void of a refund'],
  ...(['auth', 'refund', 'void', 'offline sale', 'completion', 'tip adjust', 'settlement', 'trailer'] as const).map(
    (operation): [RegExp, OperationName] => [new RegExp(`^${operation}`), operation],
  ),
];

describe('the messages of terminal.json', () => {
  const requests = messages.filter((vector) => isKnownType(decoded(vector).mti));

  it('are there', () => assert.ok(requests.length > 20));

  for (const vector of requests) {
    const profile: ProfileName = /\bEPS\b/.test(vector.name) ? 'eps' : 'cards';
    it(`${vector.name}: has the form that this host asks for`, () => {
      const findings: string[] = [];
      const { operations } = profiles[profile];
      const message = decoded(vector);
      assert.equal(
        formOf(operations, message, (finding) => findings.push(finding)),
        undefined,
      );
      assert.deepEqual(findings, []);
      const expected = operationNames.find(([name]) => name.test(vector.name))?.[1];
      assert.ok(expected, 'the name says what it is');
      assert.equal(operationOf(operations, message), expected);
    });
  }

  it('an EPS sale is none to a host that takes cards, with cash back', () => {
    const vector = requests.find(({ name }) => name.startsWith('EPS sale with cash back'));
    assert.ok(vector);
    assert.equal(operationOf(profiles.cards.operations, decoded(vector)), undefined);
  });
});
