import type { Contact } from '../contact.ts';
import type { PinPad } from '../pin-pad.ts';
import type { Reading } from '../reading.ts';
import type { Transaction } from '../transaction.ts';
import { parseActivation } from './activation.ts';
import { lastWord } from './card-answer.ts';
import type { Command } from './frame.ts';
import { parseIssuerDecision } from './issuer-decision.ts';
import type { Line } from './line.ts';
import { parsePinRequest, pinState } from './pin-request.ts';
import { status } from './status.ts';

export interface CommandParts {
  readonly line: Line;
  /** By command: what the reader says of itself. */
  readonly identity: ReadonlyMap<string, Buffer>;
  readonly reading: Reading;
  readonly transaction: Transaction;
  readonly contact: Contact;
  readonly pinPad: PinPad;
  readonly changed: () => void;
  /** Called when the reader has begun to wait for a card. */
  readonly armed: () => void;
}

/** First bytes of the commands that there are. */
const knownCommands = new Set([0x01, 0x02, 0x05, 0x09, 0x18, 0x29, 0x60, 0x62]);

/** What the reader takes while a chip waits for its issuer: also the PIN that goes to the issuer with it. */
const takenWithChip: ReadonlySet<string> = new Set(['60-12', '05-01', '62-01', '62-00']);

/** What the reader does when it is told something. */
export class Commands {
  readonly #parts: CommandParts;
  #pollOnDemand = false;

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  get pollOnDemand(): boolean {
    return this.#pollOnDemand;
  }

  /** Without power the reader is back in auto poll. */
  forget(): void {
    this.#pollOnDemand = false;
  }

  obey(command: Command): void {
    const name = nameOf(command);
    if (!this.#mayCome(command, name)) return;
    const answer = this.#parts.identity.get(name);
    if (answer !== undefined) {
      this.#tell(command, answer);
      return;
    }
    switch (name) {
      case '01-01':
        this.#setPollMode(command);
        return;
      case '02-40':
        this.#activate(command);
        return;
      case '05-01':
        this.#cancel(command);
        return;
      case '60-12':
        this.#conclude(command);
        return;
      case '62-00':
        this.#cancelPin(command);
        return;
      case '62-01':
        this.#askForPin(command);
        return;
      default:
        this.#refuseUnknown(command);
    }
  }

  /** While the reader waits for a card, for an issuer or for a PIN, it takes little. */
  #mayCome(command: Command, name: string): boolean {
    const { line, transaction, contact, pinPad } = this.#parts;
    if (transaction.activation !== undefined && name !== '05-01') {
      // The reader takes any command for a cancel (VP3350 user manual, 7.1). A driver that counts on it is wrong.
      transaction.disarm();
      line.record(command, `${name} while 02-40 was under way`);
      return false;
    }
    // Assumed for these two: the command is refused, and what the reader waits for goes on.
    if (contact.waits && !takenWithChip.has(name)) {
      line.refuse(command, status.notAllowed, `${name} while a chip waited for 60-12`);
      return false;
    }
    if (pinPad.asking && name === '05-01') {
      // A terminal that starts anew can't know that it left a PIN being asked for.
      line.answer(command.command, status.notAllowed);
      return false;
    }
    if (pinPad.asking && name !== '62-00') {
      line.refuse(command, status.notAllowed, `${name} while 62-01 was under way`);
      return false;
    }
    return true;
  }

  #tell(command: Command, data: Buffer): void {
    if (this.#takesNothing(command)) this.#parts.line.answer(command.command, status.ok, data);
  }

  #setPollMode(command: Command): void {
    const mode = command.data[0];
    if (command.data.length !== 1 || (mode !== 0 && mode !== 1)) {
      this.#parts.line.refuse(command, status.badParameter, '01-01 takes 00 (auto poll) or 01 (poll on demand)');
      return;
    }
    this.#pollOnDemand = mode === 1;
    this.#parts.changed();
    this.#parts.line.answer(command.command, status.ok);
  }

  #activate(command: Command): void {
    if (!this.#pollOnDemand) {
      // Assumed: a reader comes up in auto poll, where it finds cards by itself and 02-40 has no place.
      this.#parts.line.refuse(command, status.notAllowed, '02-40 without poll on demand');
      return;
    }
    const activation = parseActivation(command.data, this.#parts.reading.countryNumeric);
    if (typeof activation === 'string') {
      this.#parts.line.refuse(command, status.badParameter, activation);
      return;
    }
    this.#parts.transaction.arm(activation);
    if (this.#parts.transaction.activation !== undefined) this.#parts.armed();
  }

  /**
   * Data 01 asks for a reset (IDG p.242), which here is the same. The 02-40 that is cancelled gets no answer, nor does the
   * chip that waits for 60-12.
   */
  #cancel(command: Command): void {
    if (command.data.length > 1 || (command.data.length === 1 && command.data[0] !== 1)) {
      this.#parts.line.refuse(command, status.badParameter, '05-01 takes no data or 01');
      return;
    }
    this.#parts.transaction.disarm();
    this.#parts.contact.end();
    this.#parts.line.answer(command.command, status.ok);
  }

  #conclude(command: Command): void {
    if (!this.#parts.contact.waits) {
      this.#parts.line.refuse(command, status.notAllowed, '60-12 without a chip that waits for it');
      return;
    }
    const decision = parseIssuerDecision(command.data);
    if (typeof decision === 'string') {
      this.#parts.line.refuse(command, status.badParameter, decision);
      return;
    }
    this.#parts.line.answer(command.command, status.firstAnswer);
    const objects = this.#parts.contact.conclude(decision);
    if (objects === undefined) this.#parts.line.answer(command.command, status.failed);
    else this.#parts.line.answer(command.command, status.ok, lastWord(objects));
  }

  #askForPin(command: Command): void {
    const request = parsePinRequest(command.data);
    if (typeof request === 'string') {
      this.#parts.line.refuse(command, status.badParameter, request);
      return;
    }
    this.#parts.line.answer(command.command, status.ok);
    if (this.#parts.contact.lost) {
      this.#parts.line.answer(command.command, status.failed);
      return;
    }
    // Without a card number there is nothing to make a block with.
    const pan = this.#parts.reading.lastCard?.pan;
    if (pan === undefined) this.#parts.line.answer(command.command, status.ok, Buffer.of(pinState.noKey));
    else this.#parts.pinPad.ask(request, pan);
  }

  /** Where the PIN has crossed it, or none was asked for, it is answered all the same. */
  #cancelPin(command: Command): void {
    if (!this.#takesNothing(command)) return;
    this.#parts.pinPad.off();
    this.#parts.line.answer(command.command, status.ok, Buffer.of(pinState.cancelled));
  }

  #takesNothing(command: Command): boolean {
    if (command.data.length === 0) return true;
    this.#parts.line.refuse(command, status.badParameter, `${nameOf(command)} takes no data`);
    return false;
  }

  #refuseUnknown(command: Command): void {
    const code = knownCommands.has(command.command) ? status.unknownSubCommand : status.unknownCommand;
    this.#parts.line.refuse(command, code, `${nameOf(command)} is not known here`);
  }
}

/** '02-40', as the guide writes commands. */
function nameOf({ command, subCommand }: Command): string {
  return `${Buffer.of(command).toString('hex')}-${Buffer.of(subCommand).toString('hex')}`;
}
