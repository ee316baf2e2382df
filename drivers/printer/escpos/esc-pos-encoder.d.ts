/** esc-pos-encoder 3.0.0 has no types of its own: it is a subclass of this encoder, which has. */
declare module 'esc-pos-encoder' {
  import type ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder';

  export default class EscPosEncoder extends ReceiptPrinterEncoder {}
}
