import { openSink } from '../../../docs/examples/sink/sink.mjs';

/** The example's sink, which dies between a commit and its acknowledgement, where it is told so. */
const [port, directory, dies] = process.argv.slice(2);
const sink = await openSink(
  { host: '127.0.0.1', port: Number(port), reconnectPeriod: 50 },
  { host: directory, user: 'postgres', database: 'postgres' },
  () => dies === 'dies' && process.kill(process.pid, 'SIGKILL'),
);
process.send?.('ready');
console.error((await sink.failed).message);
process.exit(1);
