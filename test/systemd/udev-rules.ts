import assert from 'node:assert/strict';

/** A device as udev meets it: what the kernel says, and what its built-in programs learn of a USB device. */
export interface UdevDevice {
  readonly subsystem: string;
  readonly kernel: string;
  readonly action?: 'add' | 'remove';
  /** Of the USB device that it belongs to. */
  readonly usb?: { readonly idVendor: string; readonly serial?: string; readonly path: string };
  /** Names of its parents. */
  readonly parents?: readonly string[];
}

export interface UdevOutcome {
  readonly links: readonly string[];
  readonly group: string | undefined;
  readonly mode: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

interface Pair {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
}

const pairForm = /^(?<key>[A-Z]+(?:\{[\w.]+\})?)(?<operator>==|!=|\+=|=)"(?<value>[^"]*)"$/;

/** The rules of a file, one a line. Throws for what udev(7) does not know, and for what no rule here uses. */
export function parseRules(text: string): Pair[][] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) =>
    line.split(', ').map((each) => {
      const { key = '', operator = '', value = '' } = pairForm.exec(each)?.groups ?? assert.fail(`no rule: ${line}`);
      return { key, operator, value };
    }),
  );
}

/** What the rules do to a device. The part of udev(7) that the rules use, written from its page. */
export function applyRules(rules: readonly (readonly Pair[])[], device: UdevDevice): UdevOutcome {
  const env: Record<string, string> = {};
  const links: string[] = [];
  let [group, mode]: (string | undefined)[] = [];
  let skipTo: string | undefined;
  const fill = (value: string) => value.replaceAll(/\$env\{([\w.]+)\}/g, (_, name: string) => env[name] ?? '');
  for (const rule of rules) {
    const label = rule.find(({ key }) => key === 'LABEL')?.value;
    if (skipTo !== undefined && label !== skipTo) continue;
    skipTo = undefined;
    for (const { key, operator, value } of rule) {
      if (operator === '==' || operator === '!=') {
        if (isMet(key, value, device, env) === (operator === '!=')) break;
      } else if (key === 'GOTO') skipTo = value;
      else if (key === 'IMPORT{builtin}') importBuiltin(value, device, env);
      else if (key === 'GROUP') group = value;
      else if (key === 'MODE') mode = value;
      else if (key === 'SYMLINK') links.push(fill(value));
      else if (key.startsWith('ENV{')) env[key.slice(4, -1)] = fill(value);
      else assert.equal(key, 'LABEL');
    }
  }
  assert.equal(skipTo, undefined, 'a GOTO without its LABEL');
  return { links, group, mode, env };
}

function isMet(key: string, pattern: string, device: UdevDevice, env: Readonly<Record<string, string>>): boolean {
  const { usb, parents = [] } = device;
  const values: Record<string, readonly string[]> = {
    ACTION: [device.action ?? 'add'],
    SUBSYSTEM: [device.subsystem],
    KERNEL: [device.kernel],
    KERNELS: [device.kernel, ...parents],
    SUBSYSTEMS: [device.subsystem, ...(usb ? ['usb'] : [])],
    'ATTRS{idVendor}': usb ? [usb.idVendor] : [],
  };
  const name = /^ENV\{([\w.]+)\}$/.exec(key)?.[1];
  const found = name === undefined ? values[key] : [env[name] ?? ''];
  assert.ok(found, `a key that no rule here uses: ${key}`);
  return found.some((value) => pattern.split('|').some((each) => globForm(each).test(value)));
}

/** fnmatch(3) without flags: `*` and `?` stand for any character, slashes and leading dots too. */
function globForm(pattern: string): RegExp {
  const parts = pattern.matchAll(/\[!?[^\]]+\]|[^]/g);
  const forms = Array.from(parts, ([part]) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return part.length > 1 ? part.replace('[!', '[^') : part.replaceAll(/[.+^$(){}|[\]\\/]/g, String.raw`\$&`);
  });
  return new RegExp(`^${forms.join('')}$`, 's');
}

/** Both fail, and set nothing, for a device that is not on USB. */
function importBuiltin(program: string, { usb }: UdevDevice, env: Record<string, string>): void {
  if (!usb) return;
  if (program === 'path_id') env['ID_PATH'] = usb.path;
  else if (program === 'usb_id') {
    if (usb.serial !== undefined) env['ID_SERIAL_SHORT'] = usb.serial;
  } else assert.fail(program);
}
