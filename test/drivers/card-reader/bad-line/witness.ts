import { Chip, type IssuerDecision } from '../../../../hw-sim/card/chip.ts';
import { type ReadCard, Reading } from '../../../../hw-sim/reader/reading.ts';

interface SecondGenerateAc {
  readonly decision: IssuerDecision;
  readonly objects: ReadonlyMap<string, Buffer>;
}

/** What the simulated cards really gave, before any protocol has put it into words. */
export class Witness {
  readonly cards: ReadCard[] = [];
  readonly secondGenerateAcs: SecondGenerateAc[] = [];
  readonly close: () => void;

  constructor() {
    const { cards, secondGenerateAcs } = this;
    // Called with the `this` of their calls, below.
    // oxlint-disable-next-line typescript/unbound-method
    const { contactless, chip, stripe } = Reading.prototype;
    // oxlint-disable-next-line typescript/unbound-method
    const { conclude } = Chip.prototype;
    const seen = (read: ReadCard): ReadCard => {
      cards.push(read);
      return read;
    };
    Reading.prototype.contactless = function (...given) {
      return seen(contactless.apply(this, given));
    };
    Reading.prototype.chip = function (...given) {
      const met = chip.apply(this, given);
      seen(met.read);
      return met;
    };
    Reading.prototype.stripe = function (...given) {
      return seen(stripe.apply(this, given));
    };
    Chip.prototype.conclude = function (...given) {
      const objects = conclude.apply(this, given);
      secondGenerateAcs.push({ decision: given[0], objects });
      return objects;
    };
    this.close = () => {
      Object.assign(Reading.prototype, { contactless, chip, stripe });
      Object.assign(Chip.prototype, { conclude });
    };
  }
}
