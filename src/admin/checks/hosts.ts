import { randomUUID } from 'node:crypto';
import { unreadKey } from '../../config/common-settings.ts';
import { CardLine } from '../../hosts/iso8583/line.ts';
import { isLasting } from '../../hosts/iso8583/line-fault.ts';
import { qfpayHost } from '../../hosts/qfpay/host.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
import type { Site } from '../../base/domain/site.ts';
import { sitesOf } from '../../methods/card/settings/sites.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { CardAcquirer } from '../../methods/card/settings.ts';
import type { WalletAcquirer } from '../../methods/wallet/settings/acquirer-schema.ts';
import { walletProfiles } from '../../methods/wallet/settings/profiles.ts';
import { type MonotonicClock, systemClock } from '../../base/ports/clock.ts';
import { fail, type Finding, pass } from '../finding.ts';

/**
 * Each acquirer's host. `asksWallets`: with the keys at hand. A card host is only connected to: no dialect of this
 * terminal has a network management message (0800), and any other message would be one about money.
 */
export function checkHosts(
  configuration: Configuration,
  asksWallets: boolean,
  clock = systemClock,
): Promise<Finding[]> {
  return Promise.all(
    configuration.acquirers.flatMap((each) => {
      if (each.protocol === 'iso8583') {
        return sitesOf(each).map((site) => connectTo(each.id, { ...each, ...site }, clock));
      }
      return asksWallets ? askWallet(each, configuration) : connectTo(each.id, addressOf(each), clock);
    }),
  );
}

async function connectTo(
  id: string,
  address: Site & Pick<CardAcquirer, 'connectTimeoutMs' | 'security'>,
  clock: MonotonicClock,
): Promise<Finding> {
  const lacksKey = typeof address.security === 'object' && address.security.tls.clientKey === unreadKey;
  // Without the key only the connection can be tried. A running terminal reports the handshake.
  const line = new CardLine(lacksKey ? { host: address.host } : address);
  const socket = await line.dial(address, clock, new AbortController().signal);
  const name = `${address.host}:${address.port}`;
  const { fault, certificate, security } = line.report;
  socket?.destroy();
  if (socket) {
    const proof =
      security === 'tls' && certificate ? `, and its certificate is valid until ${certificate.notAfter}` : '';
    return pass(`host ${id}`, `${name} takes the connection${proof}; nothing was sent`);
  }
  if (fault && isLasting(fault.reason)) {
    const remedy =
      'acquirers[].security of the configuration: /usr/share/doc/poid/operations.md, "The line to the bank"';
    return fail(`host ${id}`, `${name} is not used: ${fault.reason}`, remedy);
  }
  const remedy = `the acquirer’s address in the configuration; then ping ${address.host}, and the shop’s firewall`;
  return fail(`host ${id}`, `${name} can't be reached`, remedy);
}

/** A wallet’s host is only connected to. */
function addressOf({ url, connectTimeoutMs }: WalletAcquirer) {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    connectTimeoutMs,
    security: undefined,
  };
}

/** Enquires about an order that does not exist: signed like every request, and without any effect. */
async function askWallet(acquirer: WalletAcquirer, configuration: Configuration): Promise<Finding> {
  const part = `host ${acquirer.id}`;
  const host = qfpayHost(
    { ...acquirer, id: acquirerId(acquirer.id), wallets: walletProfiles(configuration.wallets, acquirer) },
    { clock: systemClock },
  );
  const amount = { minor: 100n, currency: configuration.screen.currency };
  try {
    const { kind } = await host.enquire({ tradeNo: `selftest-${randomUUID()}`, amount, at: new Date() });
    if (kind !== 'unknown') return pass(part, `${acquirer.url} answers: it has no such order`);
  } finally {
    await host.stop();
  }
  const remedy = 'poid doctor; then the address, the code and the key of the merchant with the wallet’s operator';
  return fail(part, `${acquirer.url} gives no answer that its key proves`, remedy);
}
