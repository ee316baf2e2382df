import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type PosAnswer, Shop } from '../packaging/machine/shop.ts';
import { Bench, guestAddress } from './machine/bench.ts';
import { Guest } from './machine/guest.ts';
import { patience } from './machine/patience.ts';
import { ReadyTerminal } from './machine/ready-terminal.ts';
import { machineWith } from './machine/terminal-disk.ts';
import { until } from '../packaging/machine/container.ts';

/** The simulator in the guest has nothing to do, and of the system's own units the terminal needs none of these. */
const idle = ['poid-sim.service', 'dbus.socket', 'dbus.service', 'systemd-user-sessions.service'].concat(
  ['sysusers', 'modules-load', 'sysctl', 'random-seed'].map((each) => `systemd-${each}.service`),
);

/** A terminal whose guest is started cold, again and again. Hosts and reader are outside of it. */
class ColdTerminal {
  readonly #bench: Bench;
  readonly #disk: string;
  #busySeconds = 0;
  guest!: Guest;
  shop!: Shop;
  /** What was asked for, and what the till has heard. */
  readonly asked = new Map<string, PosAnswer | undefined>();

  constructor(bench: Bench, disk: string) {
    this.#bench = bench;
    this.#disk = disk;
  }

  async boot(clock?: string): Promise<void> {
    const { kernel, ...rest } = machineWith(this.#disk);
    assert.ok(kernel);
    const commandLine = [kernel.commandLine, ...idle.map((each) => `systemd.mask=${each}`)].join(' ');
    const hardware = { ...rest, kernel: { ...kernel, commandLine }, more: this.#bench.wires };
    const began = performance.now();
    this.guest = await Guest.boot(clock === undefined ? hardware : { ...hardware, clock });
    this.shop = new Shop(this.guest, { readyMs: patience.ms, lookMs: patience.lookMs, connectMs: 30_000 });
    await this.shop.ready();
    const seconds = [(performance.now() - began) / 1_000, this.guest.cpuSeconds()].map((each) => each.toFixed(0));
    console.log(`from power to taking cards: ${seconds.join(' s, and of its processor ')} s`);
  }

  async cut(): Promise<void> {
    this.#busySeconds += this.guest.cpuSeconds();
    await this.guest.cut();
  }

  busySeconds(): number {
    return this.#busySeconds + (this.guest?.cpuSeconds() ?? 0);
  }

  /** A sale that goes on when this resolves: its card was tapped. */
  async begin(messageId: string): Promise<{ readonly answer: Promise<PosAnswer> }> {
    this.asked.set(messageId, undefined);
    const { answer } = await this.shop.begin(messageId);
    const heard = answer.then((answer) => {
      this.asked.set(messageId, answer);
      return answer;
    });
    heard.catch(() => undefined);
    return { answer: heard };
  }

  async sell(messageId: string): Promise<PosAnswer> {
    const { answer } = await this.begin(messageId);
    await this.#bench.simulate('reader/tap', { card: 'visa', holdMs: 60_000 });
    const answered = await answer;
    assert.equal(answered?.responseResult, 'SUCCESS', JSON.stringify(answered));
    return answered;
  }

  /** What the till heard holds, what it did not hear can be learnt, and the books have as many sales. */
  async assertAgrees(): Promise<void> {
    let successes = 0;
    for (const [messageId, heard] of this.asked) {
      const answer = await until(
        `${messageId} is decided`,
        patience.ms,
        async () => {
          const enquired = await this.shop.enquire(messageId);
          const isOpen =
            ['PROCESSING', 'UNKNOWN'].includes(enquired.responseResult ?? '') ||
            enquired.financialImpact === 'REVERSAL_PENDING';
          return isOpen ? undefined : enquired;
        },
        patience.lookMs,
      );
      if (heard?.responseResult === 'SUCCESS') assert.equal(answer.responseResult, 'SUCCESS', messageId);
      if (answer.responseResult === 'SUCCESS') successes += 1;
    }
    const posted = (await this.#bench.ledger()).filter(({ status }) => status === 'POSTED');
    assert.equal(posted.length, successes);
    const stans = (await this.#bench.ledger()).map(({ stan }) => stan);
    assert.equal(new Set(stans).size, stans.length, 'a trace number was used twice');
  }
}

test('cold starts: without a clock, after power cuts during sales, and after a reboot during authorization', async (t) => {
  const bench = await Bench.open(t);
  const ready = await ReadyTerminal.restore();
  await ready.guest.outputOf('systemctl enable --quiet systemd-networkd && cat > /etc/systemd/network/hosts.network', {
    input: `[Match]\nType=ether\n[Network]\nAddress=${guestAddress}\n`,
  });
  await ready.guest.outputOf('systemctl stop poid poid-sim');
  const own = JSON.parse(await ready.guest.outputOf('cat /etc/poid/poid.json')) as Record<string, unknown>;
  await ready.guest.outputOf('cat > /etc/poid/poid.json && sync', { input: JSON.stringify(bench.settings(own)) });
  await ready.guest.stop();
  const terminal = new ColdTerminal(bench, ready.disk);
  t.after(async () => {
    t.diagnostic(`the emulated processors were busy for ${terminal.busySeconds().toFixed(0)} s`);
    await terminal.guest?.stop();
  });
  const tap = () => bench.simulate('reader/tap', { card: 'visa', holdMs: 60_000 });
  const hasPosted = async (count: number) =>
    until('the host has it', patience.ms, async () => ((await bench.ledger()).length > count ? true : undefined));

  await t.test('a machine that has lost its clock: a sale is approved, and says so', async () => {
    await terminal.boot('1970-01-01T00:00:00');
    const reported = (await terminal.sell('no-clock')) as { readonly clockDoubt?: string };
    assert.equal(reported.clockDoubt, 'beforeBuild');
    const { said: status } = await terminal.guest.call(8080, '/sp/v1/status');
    assert.match(status, /"clock":\{[^}]*"beforeBuild"/);
    const shown = await terminal.guest.run('curl -s -m 10 http://127.0.0.1:8081/events');
    assert.match(shown.said, /clockWrong/);
    await terminal.assertAgrees();
  });

  const moments: readonly { readonly name: string; reach: () => Promise<void> }[] = [
    { name: 'while a card is waited for', reach: async () => void (await terminal.begin('collecting')) },
    {
      name: 'while the host keeps silent about what it has posted',
      reach: async () => {
        const count = (await bench.ledger()).length;
        await bench.simulate('host/EDC', { mode: 'silent' });
        await terminal.begin('silent');
        await tap();
        await hasPosted(count);
        await bench.simulate('host/EDC', { mode: 'up' });
      },
    },
    {
      name: 'as soon as the host has posted it',
      reach: async () => {
        const count = (await bench.ledger()).length;
        await terminal.begin('posted');
        await tap();
        await hasPosted(count);
      },
    },
    { name: 'as soon as the till has heard', reach: async () => void (await terminal.sell('heard')) },
    {
      name: 'some time after the tap',
      reach: async () => {
        await terminal.begin('tapped');
        await tap();
        const ms = Math.random() * 2_000;
        console.log(`${ms.toFixed(0)} ms after the tap`);
        await pause(ms);
      },
    },
  ];
  for (const { name, reach } of moments) {
    await t.test(`a power cut ${name}`, async () => {
      await reach();
      await terminal.cut();
      await terminal.boot();
      await terminal.assertAgrees();
    });
  }

  await t.test('a reboot during authorization', async () => {
    const count = (await bench.ledger()).length;
    await bench.simulate('host/EDC', { mode: 'silent' });
    await terminal.begin('rebooted');
    await tap();
    await hasPosted(count);
    await terminal.guest.reboot();
    await bench.simulate('host/EDC', { mode: 'up' });
    await terminal.shop.ready();
    await terminal.assertAgrees();
    await terminal.sell('after');
    await terminal.assertAgrees();
  });
});
