import { eventually } from '../e2e/stage.ts';
import type { Scenes } from './scenes.ts';

/** What a till does with the devices of the counter. */
export async function playCounter(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const job = (lines: readonly object[], messageId = stage.named().messageId) => ({
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
  await scenes.post(
    'report/print',
    'reportNotPrinted',
    'The printer has no paper',
    { ...stage.named(), wait: false },
    503,
  );
  await stage.fault('printer', { paperOut: false });
  await eventually(
    () => stage.post('print', late),
    ({ body }) => body.printStatus === 'PRINTED',
  );
  await playReports(scenes);
  await playDrawer(scenes);
  await playDisplay(scenes);
}

async function playReports(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const report = stage.named();
  await scenes.post('report/print', 'reportPrinted', 'The X report is on paper', report, 'SUCCESS');
  const other = { ...report, acquirer: 'EDC' };
  await scenes.post('report/print', 'reportPrintReused', 'The messageId names another job', other, 409);
  const [noBank, noBatch] = [{ acquirer: 'DCC' }, { batch: 1 }].map((each) => ({ ...stage.named(), ...each }));
  await scenes.post('report/print', 'reportPrintUnknownBank', 'There is no such bank', noBank, 422);
  const noSuchBatch = { ...stage.named(), acquirer: 'EDC', batch: 999_999 };
  await scenes.post('report/print', 'reportPrintUnknownBatch', 'Nothing is in that batch', noSuchBatch, 404);
  await scenes.post('report/print', 'reportPrintUnreadable', 'A batch without its acquirer', noBatch, 400);
}

async function playDrawer(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const opening = { ...stage.named(), cashierId: 'Ann' };
  await scenes.post('drawer/open', 'drawerOpened', 'The drawer has its pulse', opening, 'SUCCESS');
  const other = { ...opening, cashierId: 'Bob' };
  await scenes.post('drawer/open', 'drawerReused', 'The messageId names another opening', other, 409);
  const misspelled = { ...stage.named(), cashierID: 'Ann' };
  await scenes.post('drawer/open', 'drawerUnreadable', 'A misspelled field', misspelled, 400);
  await stage.fault('printer', { unplug: true });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.printer.state === 'absent',
  );
  await scenes.post('drawer/open', 'drawerNotOpened', 'The printer is not connected', stage.named(), 503);
  await stage.fault('printer', { unplug: false });
  await eventually(
    () => stage.status(),
    ({ devices }) => devices.printer.state === 'ready',
  );
}

async function playDisplay(scenes: Scenes): Promise<void> {
  const { stage } = scenes;
  const show = (name: string, summary: string, fields: object, reported: string | number) =>
    scenes.post('display', name, summary, { posId: 'POS-1', ...fields }, reported);
  const lines = [
    { name: 'Iced lemon tea', quantity: 2, amount: 44 },
    { name: 'Discount', amount: -4 },
  ];
  await show('displayed', 'The cart is on the screen', { cart: { currency: 'HKD', lines, total: 40 } }, 'SUCCESS');
  await show('displayCleared', 'It is taken away', {}, 'SUCCESS');
  await show('displayUnreadable', 'A misspelled field', { txt: ['Next, please'] }, 400);
  await show('displayOfCardNumber', 'It shows a card number', { text: ['4761 7390 0101 0119'] }, 422);
  const { request, answer } = stage.begun();
  await stage.view(({ transaction }) => transaction !== undefined);
  await show('displayBusy', 'A payment has the screen', { text: ['Next, please'] }, 409);
  await stage.cancel(request);
  await answer;
}
