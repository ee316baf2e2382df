import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { connectAsync } from 'mqtt';
import { Broker } from '../../support/broker.ts';
import { needs } from '../../support/needs.ts';

test(
  'the broker of the tests keeps what it has retained over a kill, and lets nobody in without a certificate',
  needs('mosquitto', 'openssl'),
  async (t) => {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-broker-'));
    const broker = await Broker.start(dir, { tls: true, acl: 'user one\ntopic readwrite poid/#\n' });
    t.after(async () => {
      await broker.stop();
      await rm(dir, { recursive: true });
    });
    const { ca, certificate, key } = await broker.credentials('one');
    const [caPem, cert, keyPem] = await Promise.all([ca, certificate, key].map((file) => readFile(file)));
    const secrets = { ca: caPem!, cert: cert!, key: keyPem! };
    const options = { protocolVersion: 5, reconnectPeriod: 0, ...secrets } as const;

    const writer = await connectAsync(broker.url, options);
    await writer.publishAsync('poid/kept', 'still here', { qos: 1, retain: true });
    // It stores each change before it reads on.
    await writer.publishAsync('poid/next', '', { qos: 1 });
    await broker.kill();
    await writer.endAsync(true);
    await broker.restart();

    const reader = await connectAsync(broker.url, options);
    const heard = new Promise<string>((resolve) =>
      reader.on('message', (_topic, payload) => resolve(payload.toString())),
    );
    await reader.subscribeAsync('poid/kept', { qos: 1 });
    assert.equal(await heard, 'still here');
    await reader.endAsync(true);

    await assert.rejects(connectAsync(broker.url, { protocolVersion: 5, reconnectPeriod: 0, ca: caPem! }));
  },
);
