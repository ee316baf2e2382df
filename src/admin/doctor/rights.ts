import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { devicePaths } from '../../config/contradictions.ts';
import { fail, type Finding, pass, skip } from '../finding.ts';
import type { Places } from '../../config/places.ts';
import { listRefused, type Wanted } from './access.ts';
import type { ServiceRights } from './stopped.ts';

const cacheDirectory = '/var/cache/poid';
/** More are not listed: one remedy fixes all. */
const shownMax = 5;
const filesMost = 10_000;

/**
 * Paths that root can use but the service's user can't read, write or open. Its keys are not among them: systemd reads
 * them as root and passes them on.
 */
export function checkRights(
  configuration: Configuration,
  places: Pick<Places, 'configuration' | 'stateDir'>,
  rights: ServiceRights | undefined,
  cache = cacheDirectory,
): Finding {
  if (!rights) return skip('rights', 'this machine has no user poid');
  const wanted = [
    ...ofFiles(configuration, places),
    ...ofDevices(configuration),
    ...ofTree(places.stateDir),
    ...ofTree(cache),
  ];
  const refused = listRefused(rights, wanted);
  if (!refused) return skip('rights', 'only root can look with the rights of the service’s user');
  // Missing files are reported by the checks that need them.
  const closed = refused.filter(({ code }) => code !== 'ENOENT' && code !== 'ENOTDIR');
  if (closed.length === 0)
    return pass('rights', `the user poid may use all ${wanted.length} files, directories and devices`);
  const more = closed.length > shownMax ? ` and ${closed.length - shownMax} more` : '';
  const listed = closed.slice(0, shownMax).map((each) => `${each.path} (${each.code})`);
  const remedies = new Set(closed.map((each) => remedyFor(each.path, configuration, places, cache)));
  return fail('rights', `the user poid can't use ${listed.join(', ')}${more}`, [...remedies].join('; '));
}

function ofFiles(
  { cloud, nexo, wallets, screen, shop, acquirers = [] }: Partial<Configuration>,
  places: Pick<Places, 'configuration'>,
): Wanted[] {
  const logos = Object.values(wallets ?? {}).map((each) => each?.logo);
  const lines = acquirers.flatMap((each) => {
    const security = 'security' in each ? each.security : undefined;
    const { ca, clientCertificate, clientKeyFile } = typeof security === 'object' ? security.tls : {};
    return [ca, clientCertificate, clientKeyFile];
  });
  const files = [
    places.configuration,
    cloud?.ca,
    cloud?.certificate,
    cloud?.key,
    nexo?.certificate,
    screen?.logo,
    shop?.logo,
    ...logos,
    ...lines,
  ];
  return files.flatMap((file) =>
    typeof file === 'string' && file !== '' ? [{ path: path.resolve(file), access: 'read' }] : [],
  );
}

function ofDevices(configuration: Configuration): Wanted[] {
  return devicePaths(configuration).map(([, node]) => ({ path: node, access: 'write' }));
}

/**
 * All files that root has left there: a side file of the journal that belongs to root makes the whole journal unusable.
 */
function ofTree(directory: string): Wanted[] {
  if (!existsSync(directory)) return [];
  return [
    { path: directory, access: 'enter' },
    ...listInside(directory).flatMap((each): Wanted[] => {
      const place = path.join(each.parentPath, each.name);
      if (each.isDirectory()) return [{ path: place, access: 'enter' }];
      if (!each.isFile() || isRoots(each.name)) return [];
      return [{ path: place, access: /^journal|\.jsonl$/.test(each.name) ? 'write' : 'read' }];
    }),
  ];
}

/** Empty for a directory that this process may not enter: then the directory itself is reported. */
function listInside(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true, recursive: true }).slice(0, filesMost);
  } catch {
    return [];
  }
}

/** Files that root's commands of 0.1.0 kept there: the audit record, and the state of a reset that was begun. */
function isRoots(name: string): boolean {
  return name.startsWith('audit.jsonl') || name === 'factory-reset.begun';
}

function remedyFor(
  file: string,
  configuration: Configuration,
  { configuration: own, stateDir }: Pick<Places, 'configuration' | 'stateDir'>,
  cache: string,
): string {
  for (const tree of [stateDir, cache]) if (`${file}/`.startsWith(`${tree}/`)) return `chown poid:poid ${file}`;
  if (file === path.resolve(own)) return `chown root:poid ${own}; chmod 640 ${own}; chmod 755 ${path.dirname(own)}`;
  if (devicePaths(configuration).some(([, node]) => node === file)) {
    return `ls -lL ${file}: its group must be dialout or poid (/usr/lib/udev/rules.d/60-poid.rules)`;
  }
  return `chgrp poid ${file}; chmod g+r ${file}; namei -l ${file}`;
}
