import type { MenuPort, MenuView } from '../../src/payment/contracts/operator-menu.ts';

/** An idle terminal's, with nothing to tell. */
export const menuView: MenuView = {
  version: '1',
  waiting: { reversals: 0, advices: 0, rejected: 0, unsendable: 0, batches: 0 },
  notices: [],
  operator: true,
  price: { amount: '0.00', currency: 'HKD' },
  pairs: false,
};

/** A desk that keeps what it was asked. */
export class KeptMenu implements MenuPort {
  view = menuView;
  readonly asked: unknown[] = [];
  #listener: () => void = () => undefined;

  looks = 0;

  look(): void {
    this.looks += 1;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  changes(more: Partial<MenuView>): void {
    this.view = { ...menuView, ...more };
    this.#listener();
  }

  async handle(body: unknown) {
    this.asked.push(body);
    return { status: 200, body: { heard: true } };
  }
}
