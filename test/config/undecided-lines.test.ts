import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  refusesUndecided,
  refuseUndecidedLines,
  undecidedLines,
  withOwnSecurity,
  withPlainLines,
} from '../../src/config/undecided-lines.ts';

const edc = { id: 'EDC', protocol: 'iso8583', host: 'edc.example', port: 7001 };
const paths = ['poid.json'];
const tls = { tls: { ca: '/etc/poid/ca.pem' } };

test('a line leaves the machine undecided only if nothing says how it is protected', () => {
  const placesOf = (...acquirers: readonly (typeof edc & { security?: unknown })[]) =>
    undecidedLines({ acquirers }).map(({ path }) => path.join('.'));
  assert.deepEqual(placesOf(edc), ['acquirers.0.security']);
  assert.deepEqual(placesOf({ ...edc, security: 'none' }, { ...edc, security: tls }), []);
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1', '127.1'])
    assert.deepEqual(placesOf({ ...edc, host }), []);
  for (const host of ['0.0.0.0', '10.0.0.1', 'localhost.example', '::2', 'fe80::1', '128.0.0.1']) {
    assert.deepEqual(placesOf({ ...edc, host }), ['acquirers.0.security'], host);
  }
  const wallet = { id: 'QR', protocol: 'qfpay', host: 'x', port: 1 };
  assert.deepEqual(placesOf({ ...wallet }, edc), ['acquirers.1.security']);
});

test('the start refuses it from 0.3 on, and before it does not', () => {
  for (const version of ['0.1.0', '0.2.0', '0.2.0~git20261128.gabcdef', '0.2.9']) {
    assert.equal(refusesUndecided(version), false, version);
    refuseUndecidedLines({ acquirers: [edc] }, version, ['poid.json']);
  }
  for (const version of ['0.3.0', '0.3.0~git20270101.gabcdef', '0.10.0', '1.0.0']) {
    assert.equal(refusesUndecided(version), true, version);
    const start = () => refuseUndecidedLines({ acquirers: [edc] }, version, ['poid.json']);
    assert.throws(start, /poid\.json is wrong at acquirers\.0\.security: is missing/);
    refuseUndecidedLines({ acquirers: [{ ...edc, security: 'none' } as typeof edc] }, version, ['poid.json']);
  }
});

test('--plain-hosts decides what is undecided, and nothing else', () => {
  const acquirers = [edc, { ...edc, security: tls }, { ...edc, host: '127.0.0.1' }, { id: 'QR', protocol: 'qfpay' }];
  assert.deepEqual(withPlainLines({ shop: {}, acquirers }), {
    shop: {},
    acquirers: [{ ...edc, security: 'none' }, ...acquirers.slice(1)],
  });
  assert.deepEqual(withPlainLines({ acquirers: 'none' }), { acquirers: 'none' });
});

describe('acquirers of a fleet', () => {
  test('keep the security of the terminal’s own of the same name, wherever the host is now', () => {
    const mac = { algorithm: 'aesCmac' };
    const own = {
      acquirers: [
        { ...edc, security: tls, mac },
        { ...edc, id: 'CUP', security: 'none' },
      ],
    };
    const moved = { ...edc, host: 'elsewhere.example' };
    const added = { ...edc, id: 'EPS' };
    assert.deepEqual(withOwnSecurity(own, { acquirers: [moved, { ...edc, id: 'CUP' }, added] }, paths), {
      acquirers: [{ ...moved, security: tls, mac }, { ...edc, id: 'CUP', security: 'none' }, added],
    });
  });

  test('the dialect of an acquirer with mac: codes of other message types might not be needed', () => {
    const mac = { algorithm: 'aesCmac', types: ['0200', '0210'] };
    const withOwn = (entry: object, from: object) =>
      withOwnSecurity({ acquirers: [{ ...edc, ...entry }] }, { acquirers: [{ ...edc, ...from }] }, paths);
    const [own, other] = [{ dialect: 'bank.json' }, { dialect: 'other.json' }];
    assert.deepEqual(withOwn({ mac, ...own }, {}), { acquirers: [{ ...edc, mac, ...own }] });
    assert.deepEqual(withOwn({ mac, ...own }, own), { acquirers: [{ ...edc, mac, ...own }] });
    assert.deepEqual(withOwn({ mac }, { dialect: 'EDC' }), { acquirers: [{ ...edc, mac, dialect: 'EDC' }] });
    for (const entry of [{ mac, ...own }, { mac }])
      assert.throws(
        () => withOwn(entry, other),
        /poid\.json is wrong at acquirers\.0\.dialect: a fleet can’t change it/,
      );
    assert.deepEqual(withOwn(own, other), { acquirers: [{ ...edc, ...other }] });
  });

  test('nothing is changed without any', () => {
    assert.deepEqual(withOwnSecurity({ acquirers: [edc] }, { shop: {} }, paths), { shop: {} });
    assert.deepEqual(withOwnSecurity({}, { acquirers: [edc] }, paths), { acquirers: [edc] });
  });
});
