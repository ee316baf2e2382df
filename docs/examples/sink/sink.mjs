// Writes the books of all terminals to PostgreSQL: psql -f schema.sql, then node sink.mjs. Needs mqtt and pg of npm.
// BROKER=mqtts://broker:8883 CA=ca.pem CERTIFICATE=sink.pem KEY=sink.key, and PostgreSQL's own PGHOST, PGDATABASE, …
// CLIENT_ID, at the broker, if this is the second sink of one database.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import mqtt from 'mqtt';
import { Client } from 'pg';

const prefix = process.env.PREFIX ?? 'poid/v1';
/** Messages that wait, and those of one commit. More wait at the broker, and in the terminals' journals. */
const [queueMax, commitMax] = [1_000, 200];
/** Characters of a stream and of an id. Both are in an index; a terminal's have 26 at most. */
const nameMax = 200;
/** So many connections that the broker closes within so many milliseconds: not every broker says that another has taken the session over. */
const [lossesMax, lossesMs] = [5, 30_000];

/**
 * Connects to the broker (options of mqtt.connect) and to PostgreSQL (options of pg's Client). `afterCommit` is called
 * between a commit and its acknowledgements. `failed` resolves with an error that ends it: start it again.
 */
export async function openSink(broker, database, afterCommit = () => undefined) {
  const db = new Client(database);
  const failure = Promise.withResolvers();
  db.on('error', failure.resolve);
  await db.connect();
  // The session outlives a restart: what comes meanwhile waits at the broker, as far as that has room.
  const options = {
    protocolVersion: 5,
    clientId: process.env.CLIENT_ID ?? 'books',
    clean: false,
    properties: { sessionExpiryInterval: 86_400 },
  };
  const client = mqtt.connect({ reconnectPeriod: 1_000, ...options, ...broker });
  let queue = [];
  let isWriting = false;
  const waiting = [];

  // The broker sends no more than this takes. Its own acknowledgement means nothing: only ours counts, after the commit.
  client.handleMessage = (packet, done) => {
    const terminal = packet.topic.slice(prefix.length + 1).split('/')[0];
    queue.push({ terminal, text: packet.payload.toString() });
    if (queue.length < queueMax) done();
    else waiting.push(done);
    if (!isWriting) void write();
  };

  async function write() {
    isWriting = true;
    try {
      while (queue.length > 0) {
        const taken = queue.slice(0, commitMax);
        queue = queue.slice(commitMax);
        await take(taken.filter(isMessage));
        for (const done of waiting.splice(0)) done();
      }
    } catch (error) {
      failure.resolve(error);
    } finally {
      isWriting = false;
    }
  }

  async function take(messages) {
    // The text as it came: an amount never becomes a floating-point number here.
    const list = messages.map(({ terminal, text }) => `{"terminal":${JSON.stringify(terminal)},"message":${text}}`);
    const rows = await commit(list).catch((error) => refused(error, messages));
    if (rows === undefined) return;
    // Committed. From here on the terminals may forget it.
    afterCommit(rows);
    const last = new Map(rows.map((row) => [`${row.terminal} ${row.stream}`, row]));
    for (const { terminal, stream, seq, again } of last.values()) {
      const acknowledgement = JSON.stringify({ stream, seq: Number(seq), ...(again ? { again } : {}) });
      client.publish(`${prefix}/${terminal}/books/ack`, acknowledgement, { qos: 1, retain: true });
    }
  }

  async function commit(list) {
    for (;;) {
      try {
        return (await db.query('SELECT * FROM books.take_all($1)', [`[${list.join(',')}]`])).rows;
      } catch (error) {
        // Another sink was in the way, and nothing of it is written (PostgreSQL, Appendix A, class 40).
        if (!error.code?.startsWith('40')) throw error;
      }
    }
  }

  /** One message that the database can't take must not keep out the others. It is not acknowledged. */
  async function refused(error, messages) {
    // Data exceptions, constraints that are broken, and what is too long or too deep: PostgreSQL, Appendix A.
    if (!/^(22|23|54)/.test(error.code ?? '')) throw error;
    if (messages.length > 1) for (const each of messages) await take([each]);
    else console.error(`${messages[0].terminal}: a message is refused: ${error.message}`);
    return undefined;
  }

  let isConnected = false;
  client.on('connect', () => (isConnected = true));
  client.on('connect', () => client.subscribe(`${prefix}/+/books`, { qos: 1 }));
  let losses = [];
  client.on('close', () => {
    if (!isConnected) return;
    isConnected = false;
    losses = [...losses.filter((at) => at > Date.now() - lossesMs), Date.now()];
    if (losses.length === lossesMax)
      failure.resolve(new Error('the broker closes each connection: has another sink its CLIENT_ID?'));
  });
  // A broker that is away comes back, and mqtt tries it again each second. One that says no ends the sink.
  let trouble;
  client.on('connect', () => (trouble = undefined));
  client.on('error', (error) => {
    if (typeof error.code === 'number') failure.resolve(error);
    const now = error.message || error.code;
    if (now !== trouble) console.error(`the broker can't be reached: ${now}`);
    trouble = now;
  });
  return {
    failed: failure.promise,
    async close() {
      await client.endAsync();
      await db.end();
    },
  };
}

function isMessage({ terminal, text }) {
  const isRight = hasItsFields(text);
  if (!isRight) console.error(`${terminal}: a message is refused: it lacks a field of its own, or one is too long`);
  return isRight;
}

function hasItsFields(text) {
  try {
    const { stream, seq, after, id, version } = JSON.parse(text);
    const isName = (each) => typeof each === 'string' && each.length <= nameMax;
    return [stream, id].every(isName) && [seq, after, version].every(Number.isSafeInteger);
  } catch {
    return false;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const read = (file) => (file === undefined ? undefined : readFileSync(file));
  const { BROKER, CA, CERTIFICATE, KEY } = process.env;
  const secrets = { ca: read(CA), cert: read(CERTIFICATE), key: read(KEY) };
  const { protocol, hostname: host, port } = new URL(BROKER ?? 'mqtt://127.0.0.1:1883');
  const sink = await openSink({ protocol: protocol.slice(0, -1), host, port: Number(port), ...secrets }, {});
  console.error(`the sink has ended: ${(await sink.failed).message}`);
  process.exit(1);
}
