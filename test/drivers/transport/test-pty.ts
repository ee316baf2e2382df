import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import tty from 'node:tty';

/** A pseudo-terminal of the test's own: `path` is what a driver opens, the rest is the device's end. */
export interface TestPty {
  readonly path: string;
  readonly received: Buffer;
  /** Resolves with all that has come, once it is at least `count` bytes. */
  receive(count: number): Promise<Buffer>;
  send(bytes: Uint8Array): void;
  /** Stops reading, so that a writer on the other side gets stuck once the kernel's buffer is full. */
  stopReading(): void;
  readOn(): void;
  /** The device is pulled out: the path hangs up and goes. */
  unplug(): void;
}

/**
 * TIOCSPTLCK unlocks the new slave, TCSETS of the master makes it raw (<asm-generic/ioctls.h>). Node can't call ioctl(2),
 * and each process that a test starts takes longer than what it does: so one does both.
 */
const unlockRaw =
  'open(F,"+<&=",3) or die; my $z=pack("i",0); ioctl(F,0x40045431,$z) or die $!; my $t="\\0"x64; ioctl(F,0x5401,$t) or die $!;' +
  'my(undef,$o,$c)=unpack("L3",$t); substr($t,0,16)=pack("L4",0,$o&~1,$c&~0x130|0x30,0); substr($t,22,2)=pack("C2",0,1);' +
  'ioctl(F,0x5402,$t) or die $!;';

export function openTestPty(): TestPty {
  const { O_RDWR, O_NOCTTY, O_NONBLOCK } = fs.constants;
  const master = fs.openSync('/dev/ptmx', O_RDWR | O_NOCTTY | O_NONBLOCK);
  const index = /tty-index:\s*(\d+)/.exec(fs.readFileSync(`/proc/self/fdinfo/${master}`, 'utf8'))?.[1];
  if (index === undefined) throw new Error('no tty-index of the pty');
  const unlocked = spawnSync('perl', ['-e', unlockRaw], { stdio: ['ignore', 'inherit', 'inherit', master] });
  if (unlocked.status !== 0) throw new Error('the pty stays locked');
  const path = `/dev/pts/${index}`;
  // One open slave keeps the master from reading EIO before the driver comes and between its connections.
  const keep = fs.openSync(path, O_RDWR | O_NOCTTY);

  const stream = new tty.ReadStream(master);
  let received = Buffer.alloc(0);
  const waiting = new Set<() => void>();
  stream.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (const look of waiting) look();
  });
  stream.on('error', () => {}); // EIO once the slave has gone.

  return {
    path,
    get received() {
      return received;
    },
    receive: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve(received);
        };
        waiting.add(look);
        look();
      }),
    send: (bytes) => {
      fs.writeSync(master, bytes);
    },
    stopReading: () => {
      stream.pause();
    },
    readOn: () => {
      stream.resume();
    },
    unplug: () => {
      if (stream.destroyed) return;
      stream.destroy();
      fs.closeSync(keep);
    },
  };
}
