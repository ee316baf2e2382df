import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testBdk } from '../../hw-sim/configuration.ts';
import { encryptPinBlock } from '../../hw-sim/crypto/dukpt.ts';
import { pinBlockFormat0 } from '../../hw-sim/crypto/pin-block.ts';
import { byCard, byEps, byOctopus, byScannedCode, type CardName } from './customer.ts';
import { type HttpAnswer, Stage } from './stage.ts';

const cardsDir = fileURLToPath(new URL('../../fixtures/cards', import.meta.url));

/** Digits in the forms that they travel in: as text, and packed two to a byte, at either nibble. */
function ofDigits(digits: string): Buffer[] {
  const packed = (part: string) => Buffer.from(part.length % 2 === 0 ? part : part.slice(0, -1), 'hex');
  const forms = [
    Buffer.from(digits, 'latin1'),
    Buffer.from(digits, 'utf16le'),
    packed(digits),
    packed(digits.slice(1)),
  ];
  // 20 00 00 00 00 00 00, out of 6200000000000005, is in any file.
  return forms.filter((form) => new Set(form).size > 2);
}

/** Bytes as they are, and as hexadecimal text. */
function ofBytes(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex');
  return [bytes, Buffer.from(hex), Buffer.from(hex.toUpperCase()), Buffer.from(bytes.toString('base64'))];
}

/** As long as a PIN can be: four digits are in any file. */
const wrongPin = '928374650192';

/** All that a terminal keeps, says and prints, and what must be nowhere in it. */
class Search {
  readonly #stage: Stage;
  readonly #seen: Buffer[] = [];
  readonly #secrets = new Map<string, Buffer[]>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  hide(name: string, forms: Buffer[]): void {
    this.#secrets.set(name, forms);
  }

  /** The PIN that was entered last: its digits, its block in the clear, and the block that left the pad. */
  async hidePin(pin: string, pan: string): Promise<void> {
    const { pinKsn } = (await this.#stage.bench()).reader;
    const clear = pinBlockFormat0(pin, pan);
    const block = encryptPinBlock(testBdk, Buffer.from(pinKsn, 'hex'), clear);
    this.hide(`the PIN block of ${pinKsn}`, [...ofBytes(clear), ...ofBytes(block)]);
    if (pin.length === 12) this.hide('the PIN', ofDigits(pin));
  }

  see(what: string | Buffer): void {
    this.#seen.push(Buffer.from(what));
  }

  /** An answer, and everything that can be asked about it. */
  async check(answer: HttpAnswer): Promise<void> {
    const { body } = answer;
    const { terminalTransactionId } = body;
    const asked = [answer, await this.#stage.enquiry(body), await this.#stage.status()];
    for (const output of ['TEXT', 'DATA']) {
      asked.push(await this.#stage.post('receipt', { terminalTransactionId, output, copy: 'MERCHANT' }));
    }
    this.see(JSON.stringify(asked));
  }

  async end(): Promise<void> {
    const stage = this.#stage;
    this.see(await stage.paper());
    for (const file of ['/', '/page.js', '/page.css']) this.see(await (await fetch(stage.screenUrl + file)).text());
    await stage.stopDaemon('SIGKILL');
    const files = (await readdir(stage.stateDir)).filter((name) => name !== 'trace.sock');
    assert.ok(files.includes('journal.db-wal'), `the journal is not where it is searched: ${files.join(' ')}`);
    for (const file of files) this.see(await readFile(path.join(stage.stateDir, file)));
    this.see(stage.log);
    const everything = Buffer.concat(this.#seen);
    // The search itself must be able to find: what may be there is there.
    for (const shown of ['************0119', '************8453', '****0018']) {
      assert.ok(everything.includes(shown), `${shown} is nowhere`);
    }
    for (const [name, forms] of this.#secrets) {
      for (const form of forms) assert.ok(!everything.includes(form), `${name} was found as ${form.toString('hex')}`);
    }
  }
}

test('no card number, PIN, PIN block or wallet code in journal, log, answers, page or paper', async () => {
  const stage = await Stage.open();
  try {
    const search = new Search(stage);
    const watched = (await watchedScreens(stage)).concat(await watchedEvents(stage));
    const cards = (await readdir(cardsDir)).filter((name) => name.endsWith('.json'));
    assert.ok(cards.length >= 6);
    let epsPan = '';
    for (const file of cards) {
      const { pan, testPin } = JSON.parse(await readFile(path.join(cardsDir, file), 'utf8'));
      search.hide(file, ofDigits(pan));
      if (file === 'eps.json') epsPan = pan;
      else {
        for (const entry of ['tap', 'insert', 'fallback'] as const) {
          const way = byCard(path.basename(file, '.json') as CardName, entry);
          const { answer: coming } = stage.begun(way.request);
          await way.present(stage);
          // A stripe asks for no PIN.
          if (file === 'visa-debit.json' && entry !== 'fallback') {
            await stage.enterPin(testPin);
            await search.hidePin(testPin, pan);
          }
          const answer = await coming;
          assert.equal(answer.body.responseResult, 'SUCCESS', answer.body.message);
          await search.check(answer);
        }
      }
    }

    const eps = stage.begun(byEps().request);
    await stage.swipe('eps');
    await stage.act('chooseAccount', { kind: 'account', account: 'CURRENT' });
    await stage.enterPin(wrongPin);
    await stage.view(({ hint }) => hint === 'wrongPin');
    await search.hidePin(wrongPin, epsPan);
    await stage.enterPin('1357');
    const paid = await eps.answer;
    assert.equal(paid.body.responseResult, 'SUCCESS');
    await search.hidePin('1357', epsPan);
    await search.check(paid);

    const code = await stage.walletCode('ALIPAY');
    search.hide('the wallet code', ofDigits(code));
    const scanned = stage.begun(byScannedCode('ALIPAY').request);
    await stage.scan(code);
    await search.check(await scanned.answer);
    search.hide('the Octopus card', ofDigits('90000018'));
    await search.check(await stage.paid(byOctopus()));

    // Unknown outcomes too: their reversals are kept in the journal.
    await stage.host('EDC', { mode: 'silent', reversals: true });
    assert.equal((await stage.paid('visa')).body.financialImpact, 'REVERSAL_PENDING');
    await stage.host('EPS', { mode: 'silent', reversals: true });
    assert.equal((await stage.paid(byEps())).body.financialImpact, 'REVERSAL_PENDING');
    await search.hidePin('1357', epsPan);
    for (const stop of watched) search.see(await stop());
    await search.end();
  } finally {
    await stage.close();
  }
});

/** Everything that the page is told, until it is asked for. */
async function watchedScreens(stage: Stage): Promise<(() => Promise<string>)[]> {
  return [await watched(`${stage.screenUrl}/events`)];
}

async function watchedEvents(stage: Stage): Promise<(() => Promise<string>)[]> {
  return [await watched(`${stage.apiUrl}/sp/v1/events`)];
}

async function watched(url: string): Promise<() => Promise<string>> {
  const stop = new AbortController();
  const response = await fetch(url, { signal: stop.signal });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString('utf8');
  })().catch(() => undefined);
  return async () => {
    stop.abort();
    await reading;
    assert.ok(text.includes('approved'), 'nothing was watched');
    return text;
  };
}
