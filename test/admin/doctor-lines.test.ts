import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLines } from '../../src/admin/doctor/lines.ts';
import type { Configuration } from '../../src/config/configuration.ts';

const now = new Date('2026-11-28T12:00:00Z');
const card = (id: string, more: object = {}) => ({ id, protocol: 'iso8583', host: 'bank.example', ...more });
const configured = (...acquirers: readonly object[]) => ({ acquirers }) as unknown as Configuration;
const tls = { security: { tls: { ca: '/ca.pem' } } };

test('all protected, or on this machine', () => {
  const { verdict, detail } = checkLines(configured(card('EDC', tls), card('CUP', { host: '::1' })), undefined, now);
  assert.deepEqual([verdict, detail], ['PASS', 'EDC TLS, CUP on this machine']);
  assert.equal(checkLines(configured({ id: 'QR', protocol: 'qfpay' }), undefined, now).verdict, 'SKIPPED');
});

test('not protected: by decision, and by nobody’s', () => {
  const lines = configured(card('EDC'), card('CUP', { security: 'none' }), card('EPS', tls));
  const { verdict, detail, remedy } = checkLines(lines, undefined, now);
  assert.equal(verdict, 'WARN');
  assert.match(
    detail,
    /^EDC: not protected, and the configuration does not say so: from 0\.3 .*; CUP: not protected, by/,
  );
  assert.match(remedy ?? '', /operations\.md/);
});

test('a fault fails, with its reason and since when; a certificate warns before it ends', () => {
  const lines = configured(card('EDC', tls));
  const at = (acquirer: object) => checkLines(lines, { acquirers: [{ id: 'EDC', ...acquirer }] }, now);
  const faulty = at({ lineFault: { reason: 'certificateExpired', since: '2026-11-28T11:30:00Z' } });
  assert.deepEqual([faulty.verdict, faulty.detail], ['FAIL', 'EDC: certificateExpired for 30 minutes']);
  const soon = { notAfter: '2026-12-10T00:00:00.000Z' };
  const late = { notAfter: '2027-12-10T00:00:00.000Z' };
  assert.equal(at({ certificate: late, clientCertificate: late }).verdict, 'PASS');
  assert.match(at({ certificate: soon }).detail, /the certificate of its host is valid until 2026-12-10/);
  const own = at({ certificate: late, clientCertificate: soon });
  assert.deepEqual([own.verdict, /this terminal’s certificate is valid until/.test(own.detail)], ['WARN', true]);
});
