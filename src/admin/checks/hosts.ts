import { randomUUID } from 'node:crypto';
import { dial } from '../../hosts/iso8583/dial.ts';
import { qfpayHost } from '../../hosts/qfpay/host.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
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
    configuration.acquirers.map((each) => {
      if (each.protocol === 'iso8583') return connectTo(each.id, each, clock);
      return asksWallets ? askWallet(each, configuration) : connectTo(each.id, addressOf(each), clock);
    }),
  );
}

async function connectTo(
  id: string,
  address: Pick<CardAcquirer, 'host' | 'port' | 'connectTimeoutMs'>,
  clock: MonotonicClock,
): Promise<Finding> {
  const socket = await dial(address, clock, new AbortController().signal);
  const name = `${address.host}:${address.port}`;
  socket?.destroy();
  if (socket) return pass(`host ${id}`, `${name} takes the connection; nothing was sent`);
  const remedy = `the acquirer’s address in the configuration; then ping ${address.host}, and the shop’s firewall`;
  return fail(`host ${id}`, `${name} can't be reached`, remedy);
}

function addressOf({ url, connectTimeoutMs }: WalletAcquirer) {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port), connectTimeoutMs };
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
