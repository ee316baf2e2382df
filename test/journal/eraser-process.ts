/**
 * Removes the card numbers of the journal named by its first argument at the time in its second, and tells of each step. It
 * is killed in the middle of one, or ends when there is nothing more to do.
 */
import { Eraser } from '../../src/journal/eraser.ts';
import { JournalStore } from '../../src/journal/store.ts';

const [, , file = '', now] = process.argv;
const store = new JournalStore(file, () => new Date(Number(now)));
const onFailure = (error: unknown) => {
  throw error;
};
const eraser = new Eraser({ erasing: store.erasing, now: () => new Date(Number(now)), onFailure });
eraser.stop();
for (let steps = 1; eraser.step(); steps++)
  await new Promise<void>((resolve) => process.send?.(steps, () => resolve()));
store.close();
process.disconnect();
