import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Stage } from './stage.ts';

const cardsDir = fileURLToPath(new URL('../../fixtures/cards', import.meta.url));

/** A card number in the forms that it travels in: digits, and packed two to a byte, at either nibble. */
function traces(pan: string): Buffer[] {
  const packed = (digits: string) => Buffer.from(digits.length % 2 === 0 ? digits : digits.slice(0, -1), 'hex');
  const forms = [Buffer.from(pan, 'latin1'), Buffer.from(pan, 'utf16le'), packed(pan), packed(pan.slice(1))];
  // 20 00 00 00 00 00 00, out of 6200000000000005, is in any file.
  return forms.filter((form) => new Set(form).size > 2);
}

test('no card number in journal, log, answers, page or paper, for every test card', async () => {
  const stage = await Stage.open();
  try {
    const cards = (await readdir(cardsDir)).filter((name) => name.endsWith('.json'));
    assert.ok(cards.length >= 5);
    const seen: Buffer[] = [];
    const screen = await fetch(`${stage.screenUrl}/events`);
    const pans: string[] = [];
    for (const file of cards) {
      pans.push(JSON.parse(await readFile(path.join(cardsDir, file), 'utf8')).pan);
      const answer = await stage.paid(path.basename(file, '.json'));
      assert.equal(answer.body.responseResult, 'SUCCESS');
      const { posId, messageId } = answer.body;
      seen.push(
        Buffer.from(JSON.stringify([answer, await stage.post('enquiry', { posId, messageId }), await stage.status()])),
      );
    }
    // An unknown outcome too: its reversal is kept in the journal.
    await stage.host('EDC', { mode: 'silent', reversals: true });
    assert.equal((await stage.paid('visa')).body.financialImpact, 'REVERSAL_PENDING');
    seen.push(Buffer.from(await stage.paper()));
    const reader = screen.body?.getReader();
    seen.push(Buffer.from((await reader?.read())?.value ?? []));
    await reader?.cancel();
    for (const file of ['/', '/page.js', '/page.css'])
      seen.push(Buffer.from(await (await fetch(stage.screenUrl + file)).text()));

    await stage.stopDaemon('SIGKILL');
    const files = await readdir(stage.stateDir);
    assert.ok(files.includes('journal.db-wal'), `the journal is not where it is searched: ${files.join(' ')}`);
    for (const file of files) seen.push(await readFile(path.join(stage.stateDir, file)));
    seen.push(Buffer.from(stage.log));
    const everything = Buffer.concat(seen);
    // The search itself must be able to find: what may be there is there.
    assert.ok(everything.includes('************0119'));
    for (const pan of pans) for (const trace of traces(pan)) assert.ok(!everything.includes(trace), `${pan} was found`);
  } finally {
    await stage.close();
  }
});
