import assert from 'node:assert/strict';
import { parseDocument, readDocument } from '../../../src/fleet/documents/documents.ts';
import { findUnsettable } from '../../../src/config/settable.ts';
import { parseAcknowledgement } from '../../../src/pos/cloud/books/outbox.ts';
import { json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';

const addressed = { for: { terminal: 'T-1' } };
const seeds = [
  { kind: 'configuration', version: 1, ...addressed, configuration: { shop: { name: 'Shop' } } },
  { kind: 'configuration', version: 2, for: { group: 'G' }, notBefore: '2026-01-01T00:00:00Z', configuration: {} },
  { kind: 'extract', id: 'a', ...addressed, notAfter: '2026-01-01T00:00:00+08:00', what: 'log', bytesMax: 4_096 },
  { stream: 'a', seq: 3, again: true },
];
const recipient = { terminal: 'T-1', group: 'G', publicKeys: [Buffer.alloc(32, 7).toString('base64')] };

/** Documents of the fleet, signed or not, and acknowledgements of the sink: what anybody at the broker may write. */
export const fleetDocuments: Target = {
  name: 'fleet-documents',
  share: 4,
  inputs: hostile({
    seeds: seeds.map(json),
    tokens: [...jsonTokens, ...['"kind":', '"for":{', '"configuration":{', '"version":', '"notAfter":'].map(text)],
    nests: jsonNests,
  }),
  check(input) {
    const signature = `${Buffer.from(input.subarray(0, 64)).toString('base64').padEnd(86, 'A').slice(0, 86)}==`;
    for (const kind of ['configuration', 'extract'] as const)
      assert.equal(typeof readDocument({ payload: input, properties: { signature } }, kind, recipient), 'string');
    const acknowledged = parseAcknowledgement(input);
    if (acknowledged) assert.ok(Number.isSafeInteger(acknowledged.seq) && acknowledged.seq >= 0);
    const reported = parseDocument(input);
    if (typeof reported !== 'string' && reported.kind === 'configuration') {
      assert.ok(reported.version >= 1);
      findUnsettable(reported.configuration);
    }
    // Names of fields are told, so that they can be found; values never.
    if (typeof reported === 'string' && !reported.includes(' ')) assertSilent(reported);
  },
};
