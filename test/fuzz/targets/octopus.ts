import assert from 'node:assert/strict';
import * as wire from '../../../drivers/octopus/agent/wire.ts';
import { fixture, jsonNests, jsonTokens, type Json, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import type { Target } from '../target.ts';

const answers: string[] = fixture('frames/octopus').exchanges.flatMap((each: Json) => each.answer ?? []);

export const octopusLines: Target = {
  name: 'octopus-lines',
  share: 4,
  inputs: hostile({
    seeds: answers.map(text),
    tokens: [...jsonTokens, ...Array.from({ length: 4 }, () => text('"a\\u001bb"'))],
    nests: jsonNests,
  }),
  check(input) {
    const answer = wire.answerOf(input);
    if (!answer) return;
    assert.ok(Number.isSafeInteger(answer.id) && answer.id > 0);
    wire.identityOf(answer);
    wire.balanceMinorOf(answer);
    wire.fileTotalsOf(answer);
    const card = wire.cardOf(answer);
    if (card) assert.equal(wire.checkCardId(card.cardId), card.cardId);
    const receipt = wire.deductionOf(answer)?.receipt ?? '';
    assert.doesNotMatch(receipt, /\p{Cc}/u, 'a printer would do what it is told');
    wire.findingOf(answer);
  },
};
