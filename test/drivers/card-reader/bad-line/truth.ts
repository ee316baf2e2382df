import assert from 'node:assert/strict';
import { track2 } from '../../../../hw-sim/card/track2.ts';
import { decryptData, encryptPinBlock } from '../../../../hw-sim/crypto/dukpt.ts';
import { pinBlockFormat0 } from '../../../../hw-sim/crypto/pin-block.ts';
import type { ReadCard } from '../../../../hw-sim/reader/reading.ts';
import type {
  CardCompletion,
  CardDecision,
  CollectRequest,
  PresentedCard,
} from '../../../../src/base/ports/card-reader.ts';
import type { EncryptedPin } from '../../../../src/base/ports/pin-pad.ts';
import { keys } from '../../../hw-sim/reader/stage.ts';
import type { Witness } from './witness.ts';

/** A card that the driver hands out is the one that was read last, to the last byte. */
export function assertGiven(card: PresentedCard, request: CollectRequest, read: ReadCard | undefined): void {
  assert.ok(read, 'a card that nobody has presented');
  const { ksn, track2: track, pan } = card.encrypted;
  assert.equal(hex(ksn), hex(read.encryption.ksn), 'the card of another transaction');
  assert.ok(decrypted(ksn, track).includes(track2(read.card)), 'another track than was given');
  const packed = Buffer.from(read.card.pan.padEnd(2 * Math.ceil(read.card.pan.length / 2), 'F'), 'hex');
  assert.ok(decrypted(ksn, pan).includes(packed), 'another card number than was given');
  const visible = new RegExp(`^${card.maskedPan.replaceAll('*', String.raw`\d`)}$`);
  assert.match(read.card.pan, visible);
  for (const [tag, value] of card.emv) {
    const given = read.objects.get(tag);
    assert.equal(hex(value), given && hex(given), `${tag} is not as it was given`);
  }
  const entryMode = { contactless: 'CONTACTLESS', chip: 'CHIP', stripe: read.fallback ? 'FALLBACK' : 'MAGSTRIPE' };
  assert.equal(card.entryMode, entryMode[read.from]);
  assert.equal(card.awaitsDecision, read.from === 'chip' ? true : undefined);
  if (read.from !== 'stripe') {
    for (const tag of ['9F26', '9F27', '9F10', '9F36', '9F37', '9F02', '95']) assert.ok(card.emv.has(tag), `no ${tag}`);
    assert.equal(hex(card.emv.get('9F02') ?? new Uint8Array()), hex(amountOf(request)));
  }
}

/** A chip has agreed only where it gave its certificate to an issuer that approved, after it was asked. */
export function assertSecondGenerateAc(
  completion: CardCompletion,
  decision: CardDecision,
  { secondGenerateAcs }: Witness,
  before: number,
): void {
  if (completion.kind === 'lost') return;
  const [word, ...more] = secondGenerateAcs.slice(before);
  assert.ok(word && more.length === 0, 'a last word that no card has spoken');
  for (const [tag, value] of completion.emv)
    assert.equal(hex(value), hex(word.objects.get(tag) ?? new Uint8Array()), tag);
  const certified = word.objects.get('9F27')?.[0] === 0x40;
  if (completion.kind === 'refused') {
    assert.ok(!certified, 'a certificate that was taken for a refusal');
    return;
  }
  assert.ok(certified, 'an approval without the certificate of the card');
  assert.equal(decision.kind, 'approved');
  assert.equal(word.decision.responseCode, '00');
}

export function assertPinGiven({ ksn, block }: EncryptedPin, pin: string, pan: string, padKsn: string): void {
  assert.equal(hex(ksn), padKsn, 'the PIN of another entry');
  assert.equal(hex(block), hex(encryptPinBlock(keys.bdk, Buffer.from(ksn), pinBlockFormat0(pin, pan))));
}

function decrypted(ksn: Uint8Array, cipher: Uint8Array): Buffer {
  return decryptData(keys.bdk, Buffer.from(ksn), Buffer.from(cipher));
}

function amountOf({ amount }: CollectRequest): Buffer {
  return Buffer.from(amount.minor.toString().padStart(12, '0'), 'hex');
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}
