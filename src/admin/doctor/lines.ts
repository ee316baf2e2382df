import { type LineSecurity, securityOfSites } from '../../base/domain/line-security.ts';
import { sitesOf } from '../../methods/card/settings/sites.ts';
import type { Configuration } from '../../config/configuration.ts';
import { fail, type Finding, pass, skip, warn } from '../finding.ts';
import type { LocalStatus } from '../local-status.ts';

const part = 'lines';
/** The bank needs this time to issue another certificate. */
const renewalMs = 30 * 86_400_000;
const guide = '/usr/share/doc/poid/operations.md, "The line to the bank"';

type Reported = NonNullable<LocalStatus['acquirers']>[number];

/**
 * Checks how the connections to card hosts are protected. `status`: of a running terminal, which reports their faults.
 */
export function checkLines(
  { acquirers }: Pick<Configuration, 'acquirers'>,
  status: LocalStatus | undefined,
  now: Date,
): Finding {
  const cards = acquirers.filter((each) => each.protocol === 'iso8583');
  if (cards.length === 0) return skip(part, 'no acquirer has a host of cards');
  const reported = status?.acquirers ?? [];
  const failures = reported.flatMap((each) => troubleOf(each, now));
  const securityAt = (each: (typeof cards)[number]) => securityOfSites(sitesOf(each), each.security);
  const of = (security: LineSecurity) => cards.filter((each) => securityAt(each) === security).map(({ id }) => id);
  const [undecided, plain] = [of('undecided'), of('none')];
  const warnings = [
    ...(undecided.length === 0
      ? []
      : [
          `${undecided.join(', ')}: not protected, and the configuration does not say so: from 0.3 the terminal does not start`,
        ]),
    ...(plain.length === 0 ? [] : [`${plain.join(', ')}: not protected, by the configuration ("security": "none")`]),
    ...reported.flatMap((each) => standbysOf(each, now)),
    ...reported.flatMap((each) => expiryOf(each, now)),
  ];
  if (failures.length > 0) return fail(part, [...failures, ...warnings].join('; '), guide);
  if (warnings.length > 0) return warn(part, warnings.join('; '), guide);
  const shown = cards.map((each) => `${each.id} ${securityAt(each) === 'tls' ? 'TLS' : 'on this machine'}`);
  return pass(part, shown.join(', '));
}

function troubleOf({ id, lineFault, sites = [] }: Reported, now: Date): string[] {
  const fault = sites.find(({ inUse }) => inUse)?.fault ?? lineFault;
  return fault ? [`${id}: ${lasting(fault, now)}`] : [];
}

/** Faults of sites that are not in use. They do not affect payments. */
function standbysOf({ id, sites = [] }: Reported, now: Date): string[] {
  const used = sites.find(({ inUse }) => inUse)?.site ?? '';
  return sites.flatMap(({ site, inUse, fault }) =>
    fault && !inUse ? [`${id}: its site ${site}: ${lasting(fault, now)}; ${used} is in use`] : [],
  );
}

function lasting({ reason, since }: { readonly reason: string; readonly since: string }, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - Date.parse(since)) / 60_000));
  return `${reason} for ${minutes} minutes`;
}

function expiryOf({ id, certificate, clientCertificate }: Reported, now: Date): string[] {
  const named = [
    [`the certificate of its host`, certificate],
    [`this terminal’s certificate`, clientCertificate],
  ] as const;
  return named.flatMap(([name, each]) => {
    const isNear = each !== undefined && Date.parse(each.notAfter) - now.getTime() < renewalMs;
    return isNear ? [`${id}: ${name} is valid until ${each.notAfter}`] : [];
  });
}
