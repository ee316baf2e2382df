import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TerminalPower } from '../../hw-sim/till/terminal-power.ts';
import { Wires } from '../../hw-sim/wires/record.ts';

/** A terminal's mains with what was done to them, and one line to a card host. */
function staged() {
  const wires = new Wires();
  const host = wires.add('EDC', 'ISO 8583')();
  const switchedOn: object[] = [];
  const killed: number[] = [];
  const power = new TerminalPower(
    wires,
    (message) => switchedOn.push(message),
    (pid) => killed.push(pid),
  );
  return { wires, host, power, killed, switchedOn };
}

/** An ISO 8583 request behind its length and TPDU: MTI, and a bitmap that names no field. */
const message = (mti: string) => Buffer.from(`000F6000030000${mti}0000000000000000`, 'hex');

describe('the power of the terminal', () => {
  it('is nobody’s here until the process that has started both says so', () => {
    const { power, killed } = staged();
    power.take({ power: 'on', pid: 1 });
    power.take({ power: 'on', pid: 4711, more: true });
    power.take({ ready: true });
    power.cut(undefined, 0);
    assert.deepEqual(power.state(), {});
    assert.deepEqual(killed, []);
  });

  it('is cut at once, and on again only after the process has ended', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { power, killed, switchedOn } = staged();
    power.take({ power: 'on', pid: 4711 });
    power.cut(undefined, 3000);
    assert.deepEqual(killed, [4711]);
    assert.deepEqual(power.state(), { power: 'off' });
    t.mock.timers.tick(10_000);
    assert.deepEqual(switchedOn, []);
    power.take({ power: 'off' });
    t.mock.timers.tick(2999);
    assert.deepEqual(switchedOn, []);
    t.mock.timers.tick(1);
    assert.deepEqual(switchedOn, [{ power: 'on' }]);
    power.take({ power: 'on', pid: 4712 });
    assert.deepEqual(power.state(), { power: 'on' });
  });

  it('is cut by the frame that has the words, before anybody has read it, and once', () => {
    const { power, host, killed } = staged();
    power.take({ power: 'on', pid: 4711 });
    power.cut({ line: 'EDC', words: '0200 financial request' }, 0);
    assert.deepEqual(power.state(), { power: 'on', cutAt: { line: 'EDC', words: '0200 financial request' } });
    host.came(message('0400'));
    host.came(message('0200').subarray(0, 9));
    assert.deepEqual(killed, []);
    host.came(message('0200').subarray(9));
    assert.deepEqual(killed, [4711]);
    assert.deepEqual(power.state(), { power: 'off' });
    power.take({ power: 'off' });
    power.take({ power: 'on', pid: 4712 });
    host.came(message('0200'));
    assert.deepEqual(killed, [4711]);
    power.close();
  });

  it('is not cut by what crossed before, on another line, or after it was forgotten', () => {
    const { power, wires, host, killed } = staged();
    const other = wires.add('CUP', 'ISO 8583')();
    power.take({ power: 'on', pid: 4711 });
    host.came(message('0200'));
    power.cut({ line: 'EDC', words: '0200' }, 0);
    other.came(message('0200'));
    host.left(message('0210'));
    power.forget();
    host.came(message('0200'));
    assert.deepEqual(killed, []);
    assert.deepEqual(power.state(), { power: 'on' });
  });

  it('stays off when somebody else has killed it, until it is switched on', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { power, switchedOn } = staged();
    power.take({ power: 'on', pid: 4711 });
    power.take({ power: 'off' });
    t.mock.timers.tick(600_000);
    assert.deepEqual([power.state(), switchedOn], [{ power: 'off' }, []]);
    power.restore();
    assert.deepEqual(switchedOn, [{ power: 'on' }]);
  });
});
