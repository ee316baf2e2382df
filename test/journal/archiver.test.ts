import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { Archiver } from '../../src/journal/archiver.ts';

const lookMs = 1_000;
const portions = 50;

/** A journal of 50 portions, of which some have old transactions. */
class Stage {
  /** Portions with old transactions. */
  readonly old = new Set<number>();
  /** What was looked at, look by look. */
  readonly looks: number[][] = [[]];
  readonly archiver: Archiver;

  constructor() {
    const archive = (_before: Date, after: number) => {
      this.looks.at(-1)?.push(after);
      return { next: after + 1 < portions ? after + 1 : undefined, old: this.old.has(after) ? 1 : 0 };
    };
    this.archiver = new Archiver({ archive, archivesPresent: () => undefined }, 180, () => this.looks.push([]), lookMs);
  }
}

/** Portion by portion, and then until the next look is due. */
function pass(looks: number): void {
  for (let each = 0; each < looks * (portions + 2); each++) mock.timers.tick(lookMs);
}

describe('looking for what is old', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  test('the first look goes through all, the second ends where all are young', () => {
    const stage = new Stage();
    mock.timers.tick(2_000);
    pass(1);
    stage.archiver.stop();
    assert.deepEqual(
      stage.looks[0],
      Array.from({ length: portions }).map((_, index) => index),
    );
    assert.deepEqual(stage.looks[1], [0, 1, 2, 3, 4]);
  });

  test('it goes on as long as it finds old ones', () => {
    const stage = new Stage();
    stage.old.add(0).add(1).add(4).add(20);
    mock.timers.tick(2_000);
    pass(1);
    stage.archiver.stop();
    assert.deepEqual(stage.looks[1], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('once a week it goes through all', () => {
    const stage = new Stage();
    mock.timers.tick(2_000);
    pass(35);
    stage.archiver.stop();
    const whole = stage.looks.flatMap((look, index) => (look.length === portions ? [index] : []));
    assert.deepEqual(whole.slice(0, 2), [0, 28]);
  });
});
