/**
 * One step: a call of the control API, or a request of the page's till, which waits for the answer of the one before.
 */
export type Step =
  | { readonly call: string; readonly body: Readonly<Record<string, unknown>> }
  | { readonly till: Readonly<Record<string, unknown>> };

/** Something that goes wrong in a shop, and can be played. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** In the order of playing, on a simulator without faults. */
  readonly steps: readonly Step[];
  /** What to look at. */
  readonly look: string;
  /** Words of the frame that shows it; absent where no frame does. */
  readonly wire?: string;
  /** What puts it right again, with the words of its button. */
  readonly mend?: { readonly title: string; readonly steps: readonly Step[] };
  /** Only where `poid run --sim` has started terminal and simulator. */
  readonly beside?: true;
  /** `responseResult` of the last request, once it is put right; absent if nothing is sold or reported. */
  readonly ends?: string;
}

const sale = {
  till: { transactionType: 'SALE', requestAmount: 30, currency: 'HKD', preferredEntryMode: 'CARD' },
} as const;
/** The customer may have to wait until the terminal asks. */
const holdMs = 20_000;
const customer = (path: string, body: Readonly<Record<string, unknown>>): Step => ({
  call: path,
  body: { ...body, holdMs },
});
const tap = customer('/api/reader/tap', { card: 'visa' });

const scanned: Step = {
  till: { transactionType: 'SALE', requestAmount: 30, currency: 'HKD', preferredEntryMode: 'QR_SCAN' },
};

/** The library: one table for the page, for docs/simulator.md and for the tests, which play each of them. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'approved',
    title: 'Approved',
    steps: [sale, tap],
    look: 'The reader sends the card (02/23), encrypted. A 0200 goes to the host EDC, and its 0210 says 39 = 00. The till is answered, and the receipt comes out.',
    wire: '00 approved',
    ends: 'SUCCESS',
  },
  {
    id: 'declined',
    title: 'Declined: insufficient funds',
    steps: [{ call: '/api/host/EDC', body: { decline: '51' } }, sale, tap],
    look: 'The 0210 says 39 = 51. The till gets DECLINED with code 1051 and financialImpact NONE: nothing was charged, nothing is reversed.',
    wire: '51 insufficient funds',
    ends: 'DECLINED',
  },
  {
    id: 'reversal',
    title: 'No answer, then a reversal',
    steps: [{ call: '/api/host/EDC', body: { mode: 'silent' } }, sale, tap],
    look: 'The host books the 0200 and never answers. After 6 seconds the terminal does not know whether money moved, so it sends a 0400 with the same STAN until the host says 00. The till is told what became of the money in financialImpact.',
    wire: '0400 reversal',
    ends: 'ERROR',
  },
  {
    id: 'late',
    title: 'The answer comes too late',
    steps: [{ call: '/api/host/EDC', body: { mode: 'late', delayMs: 9000 } }, sale, tap],
    look: 'The 0400 leaves after 6 seconds; 3 seconds later the 0210 says 00 after all. It changes nothing: the sale stays reversed, in the journal and in the host’s books.',
    wire: '0400 reversal',
    ends: 'ERROR',
  },
  {
    id: 'hungUp',
    title: 'The line breaks after the request',
    steps: [{ call: '/api/host/EDC', body: { mode: 'closeAfterRequest' } }, sale, tap],
    look: 'The host closes the connection behind the 0200. The terminal connects again, and sends the 0400 at once instead of waiting.',
    wire: '0400 reversal',
    ends: 'ERROR',
  },
  {
    id: 'secondMessage',
    title: 'The second sale meets the fault',
    steps: [{ call: '/api/host/EDC', body: { mode: 'closeAfterRequest', atMessage: 2 } }, sale, tap, sale, tap],
    look: 'A fault aimed at the second message: the first sale is approved, the second one’s line breaks, and whatever comes then is answered again.',
    wire: '0400 reversal',
    ends: 'ERROR',
  },
  {
    id: 'wrongPin',
    title: 'Wrong PIN',
    steps: [
      sale,
      customer('/api/reader/insert', { card: 'visa-debit' }),
      customer('/api/pin-pad/enter', { pin: '0000' }),
    ],
    look: 'The 0200 carries the encrypted PIN block in field 52, and the 0210 says 39 = 55. The PIN pad asks again (62-01 with WRONG PIN), while the chip waits in its slot.',
    wire: '55 wrong PIN',
    mend: { title: 'Enter the right PIN', steps: [customer('/api/pin-pad/enter', { pin: '2468' })] },
    ends: 'SUCCESS',
  },
  {
    id: 'fallback',
    title: 'Chip can’t be read: fallback to the stripe',
    steps: [
      { call: '/api/reader/fault', body: { chipFails: true } },
      sale,
      customer('/api/reader/insert', { card: 'visa' }),
    ],
    look: 'The reader answers 02/0A with FFEE1F 62 07: use the stripe. After the swipe field 22 of the 0200 is 801, and there is no field 55.',
    wire: 'use the stripe',
    mend: { title: 'Swipe the card', steps: [customer('/api/reader/swipe', { card: 'visa' })] },
    ends: 'SUCCESS',
  },
  {
    id: 'tornOctopus',
    title: 'Octopus pulled away',
    steps: [
      { call: '/api/octopus/fault', body: { incompleteNext: 'deducted' } },
      { till: { transactionType: 'SALE', requestAmount: 30, currency: 'HKD', preferredInstrument: 'OCTOPUS' } },
      customer('/api/octopus/tap', { card: 'octopus' }),
    ],
    look: 'The value is taken, but the card left before the reader could say so: 100022. Only the same card can tell. The screen asks for it, and another one would be refused.',
    wire: '100022 incomplete',
    mend: { title: 'Tap the same card again', steps: [customer('/api/octopus/tap', { card: 'octopus' })] },
    ends: 'SUCCESS',
  },
  {
    id: 'unplugReader',
    title: 'Card reader unplugged',
    steps: [sale, { call: '/api/reader/fault', body: { unplug: true, holdMs } }],
    look: 'The reader goes while a card is awaited. The till gets ERROR with reason cardReaderFailed and financialImpact NONE, and no host hears of it. Cards are refused until the reader is back; once it is, the terminal finds it and prepares it (18-01, 29-00, 01-01).',
    wire: '02-40 activate transaction',
    mend: { title: 'Plug it in', steps: [{ call: '/api/reader/fault', body: { unplug: false } }] },
    ends: 'ERROR',
  },
  {
    id: 'walletProcessing',
    title: 'A wallet that is not sure yet',
    steps: [
      { call: '/api/host/QR', body: { customer: 'processing', processingEnquiries: 2 } },
      scanned,
      customer('/api/scanner/scan', { wallet: 'ALIPAY' }),
    ],
    look: 'The payment is answered 1145, processing. The terminal asks with enquiries, and is done when one says 0000. Nothing is sent a second time.',
    wire: '1145 processing',
    ends: 'SUCCESS',
  },
  {
    id: 'walletLost',
    title: 'A wallet’s answer gets lost',
    steps: [
      { call: '/api/host/QR', body: { mode: 'closeAfterRequest', atMessage: 1 } },
      scanned,
      customer('/api/scanner/scan', { wallet: 'ALIPAY' }),
    ],
    look: 'The host carries the payment out and closes the connection. The terminal connects again and asks with an enquiry, which says that it is paid. A second payment is never sent. A QR host’s atMessage counts payments and refunds.',
    wire: 'POST enquiry',
    ends: 'SUCCESS',
  },
  {
    id: 'paperOut',
    title: 'Paper out',
    steps: [{ call: '/api/printer/fault', body: { paperOut: true } }, sale, tap],
    look: 'The sale is approved all the same: receiptStatus is WAITING. The printer says paper out, and the receipt comes when there is paper again.',
    wire: 'paper out',
    mend: { title: 'Put paper in', steps: [{ call: '/api/printer/fault', body: { paperOut: false } }] },
    ends: 'SUCCESS',
  },
  {
    id: 'powerCut',
    title: 'Power cut while the host is asked',
    steps: [
      { call: '/api/terminal/power', body: { power: 'cut', at: { line: 'EDC', words: '0200 financial request' } } },
      sale,
      tap,
    ],
    look: 'The terminal loses its power as the 0200 arrives at the host, which books it. 3 seconds later it starts again. Its journal has an intent without an answer: before any other payment it sends a 0400 with the same STAN, until the host says 00. The till has no answer; its enquiry tells ERROR and financialImpact REVERSED.',
    wire: '0400 reversal',
    beside: true,
  },
  {
    id: 'amounts',
    title: 'The amount decides',
    steps: [
      { call: '/api/host/EDC', body: { declineByAmount: true, faultByAmount: true } },
      { call: '/api/host/CUP', body: { declineByAmount: true, faultByAmount: true } },
    ],
    look: 'From now on the cents of a sale, auth or refund choose what happens, as with the test cards of other providers: see the table below.',
  },
];
