import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runTool } from './tool.ts';

export interface Signer {
  readonly certificate: string;
  readonly key: string;
}

/** A key for tests, made once in `dir`. Whoever has the directory can sign: production names a signer of its own. */
export function testSigner(dir: string): Signer {
  const signer = { certificate: path.join(dir, 'test-signer.cert.pem'), key: path.join(dir, 'test-signer.key.pem') };
  if (existsSync(signer.certificate) && existsSync(signer.key)) return signer;
  mkdirSync(dir, { recursive: true });
  const subject = ['-subj', '/O=poid/CN=TEST KEY, not for production', '-days', '10950'];
  const files = ['-keyout', signer.key, '-out', signer.certificate];
  runTool('openssl', ['req', '-x509', '-newkey', 'rsa:3072', '-noenc', ...subject, ...files]);
  return signer;
}

export interface BundleOptions {
  /** Of packSlot; on the file system of the bundle. */
  readonly slot: string;
  readonly version: string;
  readonly compatible: string;
  readonly signer: Signer;
}

/** Writes a RAUC bundle in verity format: each block is checked when it is read (rauc.readthedocs.io, Bundle Formats). */
export function makeBundle(file: string, { slot, version, compatible, signer }: BundleOptions): void {
  const work = mkdtempSync(path.join(path.dirname(file), 'bundle-'));
  try {
    linkSync(slot, path.join(work, 'root.squashfs'));
    const manifest = `[update]
compatible=${compatible}
version=${version}

[bundle]
format=verity

[image.rootfs]
filename=root.squashfs
`;
    writeFileSync(path.join(work, 'manifest.raucm'), manifest);
    rmSync(file, { force: true });
    const signed = [`--cert=${signer.certificate}`, `--key=${signer.key}`];
    runTool('rauc', ['bundle', ...signed, work, file]);
  } finally {
    rmSync(work, { recursive: true });
  }
}
