import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** As durable as the journal, and a single table. */
const { database: path } = workerData as { database: string };
const database = new DatabaseSync(path);
database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL;
               CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT NOT NULL);`);
const insert = database.prepare('INSERT INTO event (body) VALUES (?)');

parentPort?.on('message', (body: string) => {
  database.exec('BEGIN IMMEDIATE');
  insert.run(body);
  database.exec('COMMIT');
  parentPort?.postMessage(true);
});
parentPort?.postMessage(true);
