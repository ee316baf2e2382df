import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeAgentLine, decodeScannerLine } from '../../../hw-sim/wires/decode/device-lines.ts';
import { decodeEscPos } from '../../../hw-sim/wires/decode/escpos.ts';
import { decodeHttp } from '../../../hw-sim/wires/decode/http.ts';
import { shownFields, uncovered } from './shown-fields.ts';

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('the printer’s bytes', () => {
  test('commands, as PROTOCOLS §6 lists them', () => {
    // Initialise, centre, 'HKD', line feed, QR model 2, pulse to the drawer (pin 2, 100 ms), cut.
    const bytes = bytesOf('1B40 1B6101 484B44 0A 1D286B04003141 3200 1B700032FA 1D5600');
    const decoded = decodeEscPos(bytes, 'fromTerminal');
    assert.deepEqual(shownFields(decoded), [
      'ESC @ initialise',
      'ESC a alignment = 01 (centre)',
      'text = HKD',
      'LF line feed',
      'GS ( function (QR code) = 6B040031413200',
      'ESC p pulse to the drawer = 0032FA (pin 2, 100 ms)',
      'GS V cut = 00',
    ]);
    assert.equal(decoded.summary, 'HKD · 7 commands · function (QR code) · pulse to the drawer · cut');
    assert.deepEqual(uncovered(bytes, decoded), []);
  });

  test('a question for the paper, and the statuses of PROTOCOLS §6', () => {
    assert.equal(decodeEscPos(bytesOf('100404'), 'fromTerminal').summary, 'DLE EOT ask for status · paper');
    const status = (hex: string) => decodeEscPos(bytesOf(hex), 'toTerminal').summary;
    assert.equal(status('12'), 'status · all well');
    assert.equal(status('72'), 'status · paper out');
    assert.equal(status('7E'), 'status · paper out');
    assert.equal(status('10000000'), 'status by itself · all well');
    assert.equal(status('18000C00'), 'status by itself · off-line, paper out');
    assert.equal(status('38000000'), 'status by itself · off-line, cover open');
    assert.equal(decodeEscPos(bytesOf('00'), 'toTerminal').problem, 'bytes that are no status');
  });
});

const form = [
  'auth_code=289431869362714645',
  'out_trade_no=01JGFJJZ00ABCDEFGHJKMNPQRS-000123',
  'pay_type=800108',
  'txamt=3000',
  'txcurrcd=HKD',
  'txdtm=2026-01-15+10%3A15%3A30',
];

describe('the wallets’ HTTP', () => {
  test('a payment, whose code nobody may use a second time', () => {
    const bytes = Buffer.from(
      `POST /trade/v1/payment HTTP/1.1\r\nhost: 127.0.0.1\r\nX-QF-SIGNTYPE: SHA256\r\n\r\n${form.join('&')}`,
    );
    const decoded = decodeHttp(bytes, 'fromTerminal');
    assert.equal(decoded.summary, 'POST payment · HKD 30.00 · 01JGFJJZ00ABCDEFGHJKMNPQRS-000123');
    assert.deepEqual(shownFields(decoded), [
      'request = POST /trade/v1/payment HTTP/1.1',
      'headers',
      '  host = 127.0.0.1',
      '  X-QF-SIGNTYPE = SHA256',
      'body',
      '  auth_code = ••••4645 (payment code)',
      '  out_trade_no = 01JGFJJZ00ABCDEFGHJKMNPQRS-000123',
      '  pay_type = 800108',
      '  txamt = 3000 (30.00)',
      '  txcurrcd = HKD',
      '  txdtm = 2026-01-15 10:15:30',
    ]);
    const [, , body] = decoded.fields;
    const [code, order] = body?.fields ?? [];
    assert.equal(code?.secret, true);
    assert.equal(bytes.toString('latin1', order?.at, (order?.at ?? 0) + (order?.length ?? 0)), form[1]);
  });

  test('its answer, with lists in lists', () => {
    const json = '{"respcd":"1143","data":[{"syssn":"20260115","txamt":3000}],"note":"a \\"b\\""}';
    const decoded = decodeHttp(
      Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${json.length}\r\n\r\n${json}`),
      'toTerminal',
    );
    assert.equal(decoded.summary, 'HTTP 200 · 1143 the customer is entering a password');
    assert.deepEqual(shownFields(decoded).slice(4), [
      '  respcd = 1143 (the customer is entering a password)',
      '  data',
      '    [0]',
      '      syssn = 20260115',
      '      txamt = 3000 (30.00)',
      '  note = a "b"',
    ]);
  });

  test('a body that is neither is not shown', () => {
    const decoded = decodeHttp(Buffer.from('HTTP/1.1 200 OK\r\n\r\n{"auth_code":"28943186'), 'toTerminal');
    assert.deepEqual(shownFields(decoded), ['status = HTTP/1.1 200 OK', 'body = 22 bytes (neither JSON nor a form)']);
    assert.equal(decoded.fields[1]?.secret, true);
  });
});

describe('lines of devices', () => {
  test('the Octopus agent’s, in units of ten cents', () => {
    const deduct = Buffer.from('{"id":3,"call":"deduct","cardId":"90000018","amount":123,"reference":"R-1"}\n');
    assert.equal(decodeAgentLine(deduct, 'fromTerminal').summary, 'deduct · amount HKD 12.30 · card 90000018');
    const answer = Buffer.from('{"id":3,"code":100022}\n');
    assert.equal(decodeAgentLine(answer, 'toTerminal').summary, '100022 incomplete: the same card again');
    assert.equal(decodeAgentLine(Buffer.from('{"id":3,\n'), 'toTerminal').problem, 'a line that is no JSON');
  });

  test('the scanner’s: the trigger, and a code of which only the end is shown', () => {
    assert.equal(decodeScannerLine(bytesOf('16540D'), 'fromTerminal').summary, 'start scanning');
    const decoded = decodeScannerLine(Buffer.from('289431869362714645\r\n'), 'toTerminal');
    assert.equal(decoded.summary, 'a code of 18 characters');
    assert.deepEqual(shownFields(decoded), [
      'code = ••••4645 (payment code)',
      'last characters = 4645',
      'end of line = 0D0A',
    ]);
    assert.equal(decoded.fields[0]?.secret, true);
  });
});
