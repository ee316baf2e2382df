import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { canonicalTimeZone } from '../../src/base/domain/time-zone.ts';
import { findTimeZone } from '../../src/observability/time-zone.ts';

const module = new URL('../../src/observability/time-zone.ts', import.meta.url);

/** A process with this TZ, which adopts this zone: its name, why it is UTC, and the hours of its Date in January and July. */
function adopted(variable: string | undefined, configured?: string, withoutTzdata = false) {
  const { TZ: _own, ...env } = process.env;
  const script = `
    const { adoptTimeZone, readTimeZone } = await import(${JSON.stringify(module.href)});
    adoptTimeZone(${JSON.stringify(configured)});
    const at = (month) => new Date(Date.UTC(2026, month, 15, 1));
    const { zone, fault } = readTimeZone();
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, hour: '2-digit' });
    const byIntl = [0, 6].map((month) => Number(format.format(at(month))));
    console.log(JSON.stringify({ zone, fault: fault ?? null, byDate: [0, 6].map((month) => at(month).getHours()), byIntl }));`;
  const given = {
    ...(variable === undefined ? {} : { TZ: variable }),
    ...(withoutTzdata ? { TZDIR: '/nonexistent' } : {}),
  };
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env: { ...env, ...given } });
  return JSON.parse(out.toString()) as { zone: string; fault: string | null; byDate: number[]; byIntl: number[] };
}

/** Each zone by all names that this machine's tzdata has for it. */
function allNames(): readonly string[] {
  const file = '/usr/share/zoneinfo/tzdata.zi';
  const links = existsSync(file) ? readFileSync(file, 'utf8').matchAll(/^L \S+ (\S+)$/gm) : [];
  return [...Intl.supportedValuesOf('timeZone'), ...[...links].map(([, name = '']) => name)];
}

describe('TZ of the environment', () => {
  for (const [variable, zone, hour] of [
    ['Asia/Hong_Kong', 'Asia/Hong_Kong', 9],
    [':Asia/Hong_Kong', 'Asia/Hong_Kong', 9],
    ['asia/hong_kong', 'Asia/Hong_Kong', 9],
    ['Hongkong', 'Asia/Hong_Kong', 9],
    ['PRC', 'Asia/Shanghai', 9],
    ['/usr/share/zoneinfo/Asia/Tokyo', 'Asia/Tokyo', 10],
    ['posix/Asia/Tokyo', 'Asia/Tokyo', 10],
    ['Etc/GMT-8', 'Etc/GMT-8', 9],
    ['HKT-8', 'Etc/GMT-8', 9],
    ['GMT+8', 'Etc/GMT+8', 17],
    ['UTC', 'UTC', 1],
    ['UTC0', 'UTC', 1],
  ] as const) {
    for (const withoutTzdata of [false, true]) {
      // Without tzdata the C library does not read the file that a path names.
      const what = `${variable}${withoutTzdata ? ', on a machine without tzdata' : ''}`;
      test(`${what}: is ${zone} to Date and to Intl`, () => {
        const { byDate, byIntl, ...found } = adopted(variable, undefined, withoutTzdata);
        assert.deepEqual(found, { zone, fault: null });
        assert.deepEqual(
          [byDate, byIntl],
          [
            [hour, hour],
            [hour, hour],
          ],
        );
      });
    }
  }

  for (const variable of ['', ':', 'Foo/Bar', 'HKT', '+08:00', 'UTC8:30', 'CET-1CEST,M3.5.0,M10.5.0/3', ':/nowhere']) {
    test(`${JSON.stringify(variable)}: names no zone, so the process is in UTC and knows why`, () => {
      const { fault, ...found } = adopted(variable);
      assert.deepEqual(found, { zone: 'UTC', byDate: [1, 1], byIntl: [1, 1] });
      assert.match(fault ?? '', /^the environment variable TZ names no time zone: dates are in UTC/);
    });
  }

  test('gives way to the configuration, also where it names no zone', () => {
    for (const variable of [undefined, '', 'Foo/Bar', 'HKT-8']) {
      assert.deepEqual(adopted(variable, 'Australia/Eucla').byDate, [9, 9]);
      assert.equal(adopted(variable, 'Australia/Eucla').fault, null);
    }
  });

  test('is not set, or is :/etc/localtime: the machine’s', () => {
    const { zone, fault } = adopted(undefined);
    assert.equal(fault, null);
    assert.deepEqual(adopted(':/etc/localtime'), adopted(undefined));
    assert.equal(canonicalTimeZone(zone), zone);
  });
});

describe('the machine’s zone', () => {
  for (const [link, zone] of [
    ['/usr/share/zoneinfo/Asia/Hong_Kong', 'Asia/Hong_Kong'],
    ['../usr/share/zoneinfo/PRC', 'Asia/Shanghai'],
    // localtime(5): without the file it is UTC.
    ['', 'UTC'],
  ] as const) {
    test(`/etc/localtime leads to ${link || 'nowhere'}: ${zone}`, () => {
      assert.deepEqual(findTimeZone(undefined, link), { zone });
      assert.deepEqual(findTimeZone(':/etc/localtime', link), { zone });
    });
  }
});

test('every name of the database is one zone to Date, to Intl and to TZ, also without tzdata', () => {
  const script = `
    const { canonicalTimeZone } = await import(${JSON.stringify(new URL('../../src/base/domain/time-zone.ts', import.meta.url).href)});
    const wrong = [];
    for (const name of ${JSON.stringify(allNames())}) {
      const zone = canonicalTimeZone(name);
      if (zone === undefined) continue;
      process.env.TZ = zone;
      const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
      for (const at of [new Date(Date.UTC(2026, 0, 15)), new Date(Date.UTC(2026, 6, 15))]) {
        const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ');
        if (new Intl.DateTimeFormat().resolvedOptions().timeZone !== zone || format.format(at) !== local) wrong.push(name);
      }
    }
    console.log(JSON.stringify(wrong));`;
  assert.ok(allNames().length > 400);
  for (const more of [{}, { TZDIR: '/nonexistent' }]) {
    const env = { ...process.env, ...more };
    const out = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env });
    assert.deepEqual(JSON.parse(out.toString()), []);
  }
});
