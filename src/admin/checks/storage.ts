import type { Machine } from '../machine.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';

/** JEDEC eMMC 5.1, EXT_CSD 268 and 269: used tenths of the life, 0x0B: more than all. */
const wornOut = 11;
const wornSoon = 9;
/** EXT_CSD 267: 2 is a warning (80 % of the reserve is used), 3 is urgent. */
const endNear = 2;

/** The wear of the flash, if it reports it (Documentation/driver-api/mmc/mmc-dev-attrs.rst). */
export function checkWear(machine: Machine): Finding {
  const cards = machine.list('/sys/block').filter((name) => /^mmcblk\d+$/.test(name));
  const reported = cards.flatMap((name) => {
    const life = machine.read(`/sys/block/${name}/device/life_time`);
    return life === undefined
      ? []
      : [{ name, life, end: machine.read(`/sys/block/${name}/device/pre_eol_info`) ?? '' }];
  });
  if (reported.length === 0)
    return skip('storage wear', 'no eMMC is here that tells it (/sys/block/mmcblk*/device/life_time)');
  for (const { name, life, end } of reported) {
    const tenths = Math.max(...life.trim().split(/\s+/).map(Number));
    const text = `${name}: ${tenths * 10 - 10} to ${tenths * 10} % of its life is used`;
    if (tenths >= wornOut || Number(end) > endNear) {
      return fail(
        'storage wear',
        `${name}: its life is used up`,
        'replace the terminal (/usr/share/doc/poid/operations.md)',
      );
    }
    if (tenths >= wornSoon || Number(end) === endNear) {
      return warn('storage wear', text, 'plan to replace the terminal (/usr/share/doc/poid/operations.md)');
    }
  }
  return pass(
    'storage wear',
    reported.map(({ name, life }) => `${name}: ${life.trim()} tenths of its life`).join(', '),
  );
}

/** Below this no payment begins (src/journal/store.ts). */
const reservedBytes = 16 * 1024 * 1024;
const scarceBytes = 16 * reservedBytes;

/** The disk of the journal. */
export function checkSpace(machine: Machine, stateDir: string): Finding {
  const space = machine.space(stateDir);
  if (!space) return fail('disk', `${stateDir} is not there`, 'poid provision FILE, then systemctl start poid');
  const text = `${stateDir}: ${mebibytes(space.free)} of ${mebibytes(space.total)} MiB free`;
  const remedy = `du -xh --max-depth=2 ${stateDir} /var/log | sort -h | tail; journalctl --vacuum-size=50M`;
  if (space.free < reservedBytes) return fail('disk', `${text}: no payment begins`, remedy);
  return space.free < scarceBytes ? warn('disk', text, remedy) : pass('disk', text);
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
