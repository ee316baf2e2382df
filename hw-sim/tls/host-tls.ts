import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createServer, type Server, type TlsOptions } from 'node:tls';
import { Authority, type Issued } from './authority.ts';

/**
 * How the handshakes of a host fail. expired: its certificate has expired. wrongName: its certificate is that of
 * another host. otherCa: its certificate is from an authority that the terminal does not trust. noClientCertificate: it
 * requires a certificate that the terminal does not have. oldVersion: it supports TLS 1.1 at most. cutHandshake: it
 * closes the connection instead of its first answer.
 */
export const tlsFaults = [
  'expired',
  'wrongName',
  'otherCa',
  'noClientCertificate',
  'oldVersion',
  'cutHandshake',
] as const;
export type TlsFault = (typeof tlsFaults)[number];

const dayMs = 86_400_000;
const name = 'hosts.simulator.example';
const addresses = ['127.0.0.1'];
/** Longer than the terminal waits: the terminal ends a slow handshake. */
const handshakeTimeoutMs = 120_000;

/** Paths of PEM files for the terminal. */
export interface TerminalFiles {
  readonly ca: string;
  readonly otherCa: string;
  readonly clientCertificate: string;
  readonly clientKeyFile: string;
}

/** The authority of the simulated hosts, and their certificates. */
export class HostTls {
  readonly #newest: 'TLSv1.2' | 'TLSv1.3';
  readonly #authority = new Authority('Test authority of the simulator');
  readonly #other = new Authority('Other test authority of the simulator');
  readonly #now = Date.now();
  readonly #host = this.#issue(this.#authority);
  /** Key and certificate for the terminals of this simulator. */
  readonly terminal = this.renewTerminal();

  /** `newest`: the newest version that its hosts support. */
  constructor(newest: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3') {
    this.#newest = newest;
  }

  /** Creates another key of the terminal, with its certificate. */
  renewTerminal(): Issued {
    return this.#authority.issue({ name: 'terminal.simulator.example', use: 'terminal' });
  }

  /** PEM. */
  get ca(): string {
    return this.#authority.certificate;
  }

  get otherCa(): string {
    return this.#other.certificate;
  }

  /** The certificate of its hosts, PEM. */
  get hostCertificate(): string {
    return this.#host.cert;
  }

  /** Its key, PEM. */
  get hostKey(): string {
    return this.#host.key;
  }

  /** Writes the files of a terminal. */
  async writeFiles(dir: string): Promise<TerminalFiles> {
    const write = async (file: string, content: string) => {
      const place = path.join(dir, file);
      // Otherwise a file of an earlier run would keep its mode.
      await rm(place, { force: true });
      await writeFile(place, content, { mode: 0o600 });
      return place;
    };
    return {
      ca: await write('hosts-ca.pem', this.ca),
      otherCa: await write('hosts-other-ca.pem', this.otherCa),
      clientCertificate: await write('terminal-certificate.pem', this.terminal.cert),
      clientKeyFile: await write('terminal-key.pem', this.terminal.key),
    };
  }

  /** A server that does not listen; the caller passes its connections. */
  open(fault: Exclude<TlsFault, 'cutHandshake'> | undefined): Server {
    return createServer({
      ...this.#host,
      minVersion: 'TLSv1.2',
      maxVersion: this.#newest,
      requestCert: true,
      rejectUnauthorized: true,
      ca: this.ca,
      handshakeTimeout: handshakeTimeoutMs,
      ...this.#faulty(fault),
    });
  }

  #faulty(fault: Exclude<TlsFault, 'cutHandshake'> | undefined): TlsOptions {
    switch (fault) {
      case undefined:
        return {};
      case 'expired':
        return this.#issue(this.#authority, {
          notBefore: new Date(this.#now - 3 * dayMs),
          notAfter: new Date(this.#now - dayMs),
        });
      case 'wrongName':
        return this.#issue(this.#authority, { name: 'elsewhere.simulator.example', addresses: [] });
      case 'otherCa':
        return this.#issue(this.#other);
      case 'noClientCertificate':
        // The host requests a signature that the terminal's key can't make. So the terminal sends no certificate.
        return { ...this.#issue(this.#authority, { keyType: 'rsa' }), sigalgs: 'RSA-PSS+SHA256' };
      case 'oldVersion':
        return { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
      default:
        return fault satisfies never;
    }
  }

  #issue(authority: Authority, options: Partial<Parameters<Authority['issue']>[0]> = {}): Issued {
    return authority.issue({ name, addresses, use: 'host', ...options });
  }
}
