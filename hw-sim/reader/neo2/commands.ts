import type { Contact } from '../contact.ts';
import type { PinPad } from '../pin-pad.ts';
import type { Reading } from '../reading.ts';
import type { Transaction } from '../transaction.ts';
import { parseActivation } from './activation.ts';
import { secondGenerateAc } from './card-answer.ts';
import type { Command } from './frame.ts';
import { parseIssuerDecision } from './issuer-decision.ts';
import type { Line } from './line.ts';
import { parsePinRequest, pinState } from './pin-request.ts';
import { status } from './status.ts';

export interface CommandParts {
  readonly line: Line;
  /** Identity answers by command. */
  readonly identity: ReadonlyMap<string, Buffer>;
  readonly reading: Reading;
  readonly transaction: Transaction;
  readonly contact: Contact;
  readonly pinPad: PinPad;
  readonly changed: () => void;
  /** Called when the reader begins to wait for a card. */
  readonly armed: () => void;
}

/** First bytes of the known commands. */
const knownCommands = new Set([0x01, 0x02, 0x05, 0x09, 0x18, 0x29, 0x60, 0x62]);

/** Commands that the reader accepts while a chip waits for its issuer, including those of an online PIN. */
const takenWithChip: ReadonlySet<string> = new Set(['60-12', '05-01', '62-01', '62-00']);

/** Carries out the terminal's commands. */
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
      this.#report(command, answer);
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

  /** Whether the reader accepts a command now. While it waits for a card, issuer or PIN, it accepts only a few. */
  #mayCome(command: Command, name: string): boolean {
    const { line, transaction, contact, pinPad } = this.#parts;
    if (transaction.activation !== undefined && name !== '05-01') {
      // Any command counts as a cancel (VP3350 user manual, 7.1). A driver that relies on it is wrong.
      transaction.disarm();
      line.record(command, `${name} while 02-40 was under way`);
      return false;
    }
    // Assumed for these two: the command is refused, and the reader continues to wait.
    if (contact.waits && !takenWithChip.has(name)) {
      line.refuse(command, status.notAllowed, `${name} while a chip waited for 60-12`);
      return false;
    }
    if (pinPad.asking && name === '05-01') {
      // A restarted terminal can't know that a PIN entry is still running.
      line.answer(command.command, status.notAllowed);
      return false;
    }
    if (pinPad.asking && name !== '62-00') {
      line.refuse(command, status.notAllowed, `${name} while 62-01 was under way`);
      return false;
    }
    return true;
  }

  #report(command: Command, data: Buffer): void {
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
      // Assumed: a reader starts in auto poll, where it finds cards by itself and refuses 02-40.
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
   * Data 01 requests a reset (IDG p.242), which has the same effect here. Neither the cancelled 02-40 nor the waiting
   * chip gets an answer.
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
    else this.#parts.line.answer(command.command, status.ok, secondGenerateAc(objects));
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
    // Without a card number no PIN block can be made.
    const pan = this.#parts.reading.lastCard?.pan;
    if (pan === undefined) this.#parts.line.answer(command.command, status.ok, Buffer.of(pinState.noKey));
    else this.#parts.pinPad.ask(request, pan);
  }

  /** Answered in any case: also if the PIN crossed it, or none was requested. */
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

/** '02-40': the guide's notation of commands. */
function nameOf({ command, subCommand }: Command): string {
  return `${Buffer.of(command).toString('hex')}-${Buffer.of(subCommand).toString('hex')}`;
}
