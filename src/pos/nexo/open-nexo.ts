import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ownNames } from '../../base/own-addresses.ts';
import { inState } from '../../base/domain/written-files.ts';
import { fingerprint, type KeyAndCertificate } from '../../base/tls/certificate.ts';
import type { Configuration } from '../../config/configuration.ts';
import { nexoSettings } from '../../config/nexo-settings.ts';
import { Access } from '../api/access.ts';
import { clientTimeouts, serveHttp } from '../api/server.ts';
import type { PosProtocol } from '../contracts/pos-protocol.ts';

interface NexoProductParts {
  readonly stateDir: string;
  /** Who may connect, and the limits of connections, are those of the API. */
  readonly http: Configuration['http'];
  /** Key and certificate of the terminal, made where there are none yet. */
  readonly identity: () => Promise<KeyAndCertificate>;
}

/** nexo Retailer in JSON over HTTPS (docs/nexo.md). */
export const nexo: PosProtocol<NonNullable<Configuration['nexo']>, NexoProductParts> = {
  name: 'nexo',
  settings: nexoSettings,
  async open({ settings: own, calls, stateDir, http, identity, clock, random, onFailure }) {
    const { answerNexo, httpAnswers, KnownMessages, deriveKey } = await loadParts();
    const { host, port, keys, clear, poiId, preAuth, holdMs, certificate } = own;
    const tls = certificate === undefined ? await identity() : await readCertificate(certificate);
    const messages = await KnownMessages.open(inState(stateDir, 'nexo.jsonl'), clock);
    const closing = new AbortController();
    const access = new Access({ networks: http.networks, hostnames: [...http.hostnames, ...ownNames()], origins: [] });
    const rules = { keys: keys.map(deriveKey), clear };
    const parts = { calls, messages, clock, holdMs, closing: closing.signal, preAuth };
    const serving = { ...parts, access, rules, poiId, random };
    const { headersMs, requestMs, idleMs, unreadMs } = http;
    const server = await serveHttp({
      host,
      port,
      tls,
      headerBytesMax: http.headerBytesMax,
      pipelinedMax: http.pipelinedMax,
      refusalsMax: http.refusalsMax,
      limits: {
        connectionsMax: http.connectionsMax,
        perAddressMax: http.connectionsPerAddressMax,
        newPerSecondMax: http.newConnectionsPerSecondMax,
      },
      timeouts: { ...clientTimeouts, headersMs, requestMs, idleMs, unreadMs },
      ...httpAnswers,
      answer: (request, response, progress) => answerNexo(request, response, serving, progress),
      onFailure,
    });
    const shown = fingerprint(new X509Certificate(tls.cert).raw);
    return {
      port: server.port,
      status: () => ({ port: server.port, fingerprint: shown, keys: keys.length, clear, messages: messages.size }),
      async close() {
        closing.abort();
        await server.close();
      },
    };
  },
};

/** Loaded only where it is configured. */
async function loadParts() {
  const [answering, known, security] = await Promise.all([
    import('./answer-nexo.ts'),
    import('./known-messages.ts'),
    import('./security-trailer.ts'),
  ]);
  return { ...answering, ...known, ...security };
}

/** The private key and the certificate of a PEM file. Rejects with RangeError. */
async function readCertificate(file: string): Promise<KeyAndCertificate> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RangeError(`nexo.certificate: ${file} can't be read (${error.code})`);
  });
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z ]+)-----[^-]*-----END \1-----/g)].map(([block, kind = '']) => ({
    block,
    kind,
  }));
  const key = blocks.find(({ kind }) => kind.endsWith('PRIVATE KEY'))?.block ?? '';
  const cert = blocks.flatMap(({ block, kind }) => (kind === 'CERTIFICATE' ? [`${block}\n`] : [])).join('');
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return { key, cert };
  } catch {
    // Neither names what the file holds.
  }
  throw new RangeError(`nexo.certificate: ${file} is not a private key with its certificate`);
}
