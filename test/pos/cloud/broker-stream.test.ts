import { once } from 'node:events';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { BrokerStream } from '../../../src/pos/cloud/broker-stream.ts';
import { carrierOfNothing } from '../../support/carrier-of-nothing.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('it closes with a TLS connection whose carrier has gone', async () => {
  const carrier = carrierOfNothing();
  const options = { packetBytesMax: 65_536, clock: new ManualClock(), onFault: () => undefined };
  const stream = new BrokerStream(new TLSSocket(carrier), options);
  carrier.destroy();
  await once(stream, 'close');
});
