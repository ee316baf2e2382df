import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateFor } from './certificate.ts';
import { ScriptedHost } from './scripted-host.ts';
import { approval, approved, bench, connectTimeoutMs, deadline, httpAnswer, scannedOrder } from './terminal.ts';

const hostDown = { kind: 'notSent', reason: 'host-down' };
const own = certificateFor('127.0.0.1');
const other = certificateFor('127.0.0.2');

async function secureBench(t: test.TestContext, certificate: typeof own, ca: string | undefined) {
  const host = await ScriptedHost.listen(0, certificate);
  t.after(() => host.close());
  const { clock, acquirer } = await bench(t, { url: `https://127.0.0.1:${host.port}`, ca });
  return { host, clock, acquirer };
}

test('a host that its certificate names', deadline, async (t) => {
  const { host, acquirer } = await secureBench(t, own, own.cert);
  const first = acquirer.pay(scannedOrder);
  const side = await host.accepted();
  for (const outcome of [first, undefined]) {
    const paid = outcome ?? acquirer.pay(scannedOrder);
    const { line, headers } = await side.request();
    assert.equal(line, 'POST /trade/v1/payment HTTP/1.1');
    assert.equal(headers.get('host'), `127.0.0.1:${host.port}`);
    await side.write(httpAnswer(approval));
    assert.deepEqual(await paid, approved);
  }
  assert.equal(host.connections, 1);
  assert.equal(acquirer.link, 'up');
});

for (const [what, certificate, ca] of [
  ['that nobody vouches for', own, undefined],
  ['that another vouches for', own, other.cert],
  ['of another host', other, other.cert],
] as const) {
  test(`a certificate ${what}: not sent, and not a byte of the order has left`, deadline, async (t) => {
    const { host, clock, acquirer } = await secureBench(t, certificate, ca);
    assert.deepEqual(await acquirer.pay(scannedOrder), hostDown);
    assert.equal(acquirer.link, 'down');
    assert.equal(clock.pending, 0);
    await host.close();
    assert.equal(host.bytesRead, 0);
  });
}

test('a host that speaks no TLS: not sent', deadline, async (t) => {
  const plain = await ScriptedHost.listen();
  t.after(() => plain.close());
  const { clock, acquirer } = await bench(t, { url: `https://127.0.0.1:${plain.port}` });
  const refused = acquirer.pay(scannedOrder);
  await (await plain.accepted()).write('HTTP/1.1 400 Bad Request\r\n\r\n');
  assert.deepEqual(await refused, hostDown);
  assert.equal(clock.pending, 0);
});

test('a handshake without end: not sent at the connect time-out', deadline, async (t) => {
  const plain = await ScriptedHost.listen();
  t.after(() => plain.close());
  const { clock, acquirer } = await bench(t, { url: `https://127.0.0.1:${plain.port}` });
  const outcome = acquirer.pay(scannedOrder);
  const side = await plain.accepted();
  clock.pass(connectTimeoutMs);
  assert.deepEqual(await outcome, hostDown);
  await side.ended;
});
