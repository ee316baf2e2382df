/** Start and stop of the scanner, or unknown bytes. */
export type TriggerArrival = { readonly kind: 'on' | 'off' } | { readonly kind: 'noise'; readonly bytes: Buffer };

/** SYN T CR and SYN U CR (Honeywell 2020/4820 user's guide, 12-4, "Trigger Commands"). */
const commands = [
  ['on', Buffer.from('16540D', 'hex')],
  ['off', Buffer.from('16550D', 'hex')],
] as const;

/** Finds the two commands in a stream of bytes, however it is split. Buffers less than one command. */
export class TriggerDecoder {
  #held: Buffer = Buffer.alloc(0);

  get pendingBytes(): number {
    return this.#held.length;
  }

  push(chunk: Buffer): TriggerArrival[] {
    const bytes = Buffer.concat([this.#held, chunk]);
    const arrivals: TriggerArrival[] = [];
    let noiseFrom = 0;
    let at = 0;
    const endNoise = (): void => {
      if (at > noiseFrom) arrivals.push({ kind: 'noise', bytes: bytes.subarray(noiseFrom, at) });
    };
    while (at < bytes.length) {
      const rest = bytes.subarray(at);
      const found = commands.find(([, command]) => rest.subarray(0, command.length).equals(command));
      if (found) {
        endNoise();
        arrivals.push({ kind: found[0] });
        at += found[1].length;
        noiseFrom = at;
      } else if (commands.some(([, command]) => command.subarray(0, rest.length).equals(rest))) {
        break;
      } else {
        at += 1;
      }
    }
    endNoise();
    this.#held = bytes.subarray(at);
    return arrivals;
  }

  /** The rest of a command did not come. */
  abandon(): TriggerArrival[] {
    const bytes = this.#held;
    this.#held = Buffer.alloc(0);
    return bytes.length === 0 ? [] : [{ kind: 'noise', bytes }];
  }
}
