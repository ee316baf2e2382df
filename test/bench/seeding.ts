import { seedJournal } from '../journal/seeded-journal.ts';

/** `node seeding.ts <journal> <settled> <open> <given before>`: a process of its own, because it takes minutes. */
const [file = '', ...numbers] = process.argv.slice(2);
const [settled = 0, open = 0, from = 0] = numbers.map(Number);
seedJournal(file, { settled, salesPerBatch: 500, open }, from);
