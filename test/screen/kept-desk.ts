import type { Desk, DeskView } from '../../src/payment/contracts/desk.ts';

/** An idle terminal's, with nothing to tell. */
export const deskView: DeskView = {
  version: '1',
  waiting: { reversals: 0, advices: 0, rejected: 0, unsendable: 0, batches: 0 },
  notices: [],
  operator: true,
  price: { amount: '0.00', currency: 'HKD' },
  pairs: false,
};

/** A desk that keeps what it was asked. */
export class KeptDesk implements Desk {
  view = deskView;
  readonly asked: unknown[] = [];
  #listener: () => void = () => undefined;

  looks = 0;

  look(): void {
    this.looks += 1;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  changes(more: Partial<DeskView>): void {
    this.view = { ...deskView, ...more };
    this.#listener();
  }

  async handle(body: unknown) {
    this.asked.push(body);
    return { status: 200, body: { heard: true } };
  }
}
