import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import {
  configureMethods,
  type MethodConfiguration,
  openMethods,
  type OpenMethodsParts,
} from '../../../src/main/composition/open-methods.ts';
import { OpenParts } from '../../../src/main/composition/open-parts.ts';
import type { Acquirer } from '../../../src/payment/method/acquirer.ts';
import { numberedBatches } from '../../../src/payment/method/batch-settler.ts';
import type { OpenedMethod, PaymentMethodModule } from '../../../src/payment/method/payment-method-module.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const configuration = { methods: [] } as unknown as MethodConfiguration;
const description = { schemes: [], entryModes: [], describe: () => ({ receipt: {} }) };

/** A module that opens what it is told; `closed` notes what was closed. */
function moduleOf(
  name: string,
  ids: readonly string[],
  closed: string[],
  more: Partial<PaymentMethodModule<MethodConfiguration>> = {},
): PaymentMethodModule<MethodConfiguration> {
  return {
    description: { name, ...description },
    open: (): OpenedMethod => ({
      methods: [],
      acquirers: ids.map((id) => acquirerOf(id, closed)),
      close: async () => void closed.push(name),
    }),
    ...more,
  };
}

function acquirerOf(text: string, closed: string[]): Acquirer {
  const [id = '', held] = text.split(' ');
  return {
    profile: { id: acquirerId(id), brands: [], held },
    settler: { ...numberedBatches, settle: async () => ({ result: 'BALANCED' }) },
    prepare: () => assert.fail('nothing is queued'),
    close: async () => void closed.push(id),
  };
}

const failures: unknown[] = [];
const parts = {
  clock: new ManualClock(),
  prints: false,
  reports: { onFailure: (_part: string, error: unknown) => failures.push(error) },
} as unknown as Omit<OpenMethodsParts, 'order'>;

/** One method of `methods`, with a schema. */
function voucher(methods: readonly object[], closed: string[] = []) {
  let given: unknown;
  const schema = z.strictObject({ id: z.string(), protocol: z.literal('voucher'), port: z.int().default(7) });
  const module = moduleOf('voucher', [], closed, {
    entries: { protocol: 'voucher', schema },
    open(configured) {
      given = configured.methods;
      return { methods: [], acquirers: [] };
    },
  });
  const configured = configureMethods([module], { ...configuration, methods } as MethodConfiguration);
  return { configured, given: () => given };
}

describe('entries of methods', () => {
  test('their method is given them alone, as its schema has read them', async () => {
    const { configured, given } = voucher([{ id: 'V', protocol: 'voucher' }]);
    await openMethods(configured, { ...parts, order: [] }, new OpenParts());
    assert.deepEqual(given(), [{ id: 'V', protocol: 'voucher', port: 7 }]);
  });

  test('a method without one is not opened', async () => {
    const { configured, given } = voucher([]);
    await openMethods(configured, { ...parts, order: [] }, new OpenParts());
    assert.equal(given(), undefined);
  });

  test('one that names no method, or that its method does not take, is refused', () => {
    const start = (entry: object) => () => voucher([{ id: 'V', protocol: 'voucher' }, entry]);
    const no = (message: RegExp) => ({ name: 'StartError', message });
    assert.throws(start({ id: 'O', protocol: 'other' }), no(/methods\.1\.protocol names no payment method/));
    assert.throws(start({ id: 'W', protocol: 'voucher', port: 'secret' }), no(/methods\.1\.port: (?!.*secret)/));
  });
});

test('acquirers are asked as configured, then the others, and last those that are not configured any more', async () => {
  const modules = [moduleOf('one', ['B', 'GONE held'], []), moduleOf('two', ['CASH', 'A'], [])];
  const opened = await openMethods(
    configureMethods(modules, configuration),
    { ...parts, order: ['A', 'B'] },
    new OpenParts(),
  );
  assert.deepEqual([...opened.acquirers.keys()], ['A', 'B', 'CASH', 'GONE']);
});

test('a stop ends the methods before their acquirers', async () => {
  const closed: string[] = [];
  const opened = new OpenParts();
  const modules = [moduleOf('one', ['A'], closed), moduleOf('two', ['B'], closed)];
  await openMethods(configureMethods(modules, configuration), { ...parts, order: ['A', 'B'] }, opened);
  await opened.close((error) => assert.fail(String(error)));
  assert.deepEqual(closed, ['two', 'one', 'B', 'A']);
});

test('if a method refuses its settings, what was opened before is closed', async () => {
  const closed: string[] = [];
  const refusing = moduleOf('two', [], closed, {
    open() {
      throw new RangeError('two.port is wrong');
    },
  });
  const configured = configureMethods([moduleOf('one', ['A'], closed), refusing], configuration);
  const opened = new OpenParts();
  await assert.rejects(openMethods(configured, { ...parts, order: [] }, opened), {
    name: 'StartError',
    message: /two\.port is wrong/,
  });
  assert.deepEqual(closed, ['one', 'A']);
  assert.deepEqual(failures, []);
  await opened.close((error) => assert.fail(String(error)));
  assert.deepEqual(closed, ['one', 'A']);
});
