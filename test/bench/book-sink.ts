import { readFileSync } from 'node:fs';
import mqtt from 'mqtt';

/** `node book-sink.ts <url> <ca> <certificate> <key>`: a sink that stores nothing. It tells how much it took when it is asked. */
const [url = '', ...files] = process.argv.slice(2);
const [ca, cert, key] = files.map((file) => readFileSync(file));
if (!ca || !cert || !key) throw new Error('book-sink.ts <url> <ca> <certificate> <key>');
const client = mqtt.connect(url, { protocolVersion: 5, reconnectPeriod: 100, ca, cert, key });
let taken = 0;
client.on('error', () => undefined);
client.on('message', (topic, payload) => {
  const { stream, seq } = JSON.parse(payload.toString()) as { stream: string; seq: number };
  taken += 1;
  client.publish(`${topic}/ack`, JSON.stringify({ stream, seq }), { qos: 1, retain: true });
});
client.once('connect', () => client.subscribe('poid/v1/+/books', { qos: 1 }, () => process.send?.('ready')));
process.on('message', () => process.send?.(taken));
process.on('disconnect', () => process.exit());
