import type { UpdateBundle } from './action.ts';
import type { DdiArtifact, DdiDeployment } from './ddi.ts';

/** The only bundle of a deployment; a sentence if none can be used. Pure. */
export function chooseBundle({ deployment }: DdiDeployment, bytesMax: number, link: URL): UpdateBundle | string {
  const found = deployment.chunks.flatMap(({ version, artifacts }) =>
    artifacts.filter(({ filename }) => filename.endsWith('.raucb')).map((artifact) => ({ version, artifact })),
  );
  const [first] = found;
  if (!first || found.length > 1) return `it has ${found.length} files .raucb, and a terminal takes one`;
  const { version, artifact } = first;
  const { size, hashes } = artifact;
  const sha256 = hashes.sha256?.toLowerCase() ?? '';
  if (!/^[0-9a-f]{64}$/.test(sha256)) return 'hawkBit tells no SHA-256 of the bundle';
  if (size === 0 || size > bytesMax) return `the bundle has ${size} bytes, and the terminal takes ${bytesMax}`;
  const url = addressOf(artifact, link);
  return url === undefined ? 'hawkBit tells no address by HTTPS for the bundle' : { url, size, sha256, version };
}

/** By HTTPS; by HTTP only from a hawkBit that is itself reached so, on this machine. */
function addressOf({ _links: { download, 'download-http': plain } }: DdiArtifact, link: URL): string | undefined {
  const urls = [download, plain].map((each) => (each ? URL.parse(each.href, link.href) : null));
  const url = urls.find(
    (each) => each?.protocol === 'https:' || (each?.protocol === 'http:' && each.origin === link.origin),
  );
  return url?.href;
}
