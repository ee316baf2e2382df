import { eventually } from '../e2e/stage.ts';
import type { Scenes } from './scenes.ts';

/** What a till does with the devices of the counter. */
export async function playCounter(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const job = (lines: readonly object[], messageId = stage.saleRequest().messageId) => ({
    posId: 'POS-1',
    messageId,
    lines,
  });
  const lines = [
    { type: 'text', text: 'Table 12', align: 'center', bold: true, size: 'double' },
    { type: 'columns', left: '2 x Lemon tea', right: '44.00' },
    { type: 'qr', text: 'https://shop.example/menu' },
  ];
  const first = job(lines);
  await scenes.post('print', 'printed', 'It is on paper', first, 'SUCCESS');
  await scenes.post(
    'print',
    'printReused',
    'The messageId names another job',
    job([lines[0] ?? {}], first.messageId),
    409,
  );
  await scenes.post('print', 'printUnreadable', 'A line of an unknown type', job([{ type: 'barcode' }]), 400);
  const card = [{ type: 'text', text: '4761 7390 0101 0119' }];
  await scenes.post('print', 'printOfCardNumber', 'It shows a card number', job(card), 422);
  await stage.fault('printer', { paperOut: true });
  const late = job(lines);
  await scenes.post('print', 'printWaits', 'The printer has no paper', late, 'PROCESSING');
  await scenes.post('print', 'notPrinted', 'The printer has no paper', { ...job(lines), wait: false }, 503);
  await stage.fault('printer', { paperOut: false });
  await eventually(
    () => stage.post('print', late),
    ({ body }) => body.printStatus === 'PRINTED',
  );
}
