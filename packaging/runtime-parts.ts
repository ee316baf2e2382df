/** A library in C or C++ that Node's binary contains: how scanners name it. */
interface RuntimePart {
  /** Its name in process.versions. */
  readonly key: string;
  readonly name: string;
  readonly purl: string;
  /** Vendor and product in the dictionary of CPE, where NVD has one. */
  readonly cpe?: string;
}

const github = (repository: string, tag = 'v') => `pkg:github/${repository}@${tag}`;

/** In the order of process.versions. What is data or a number of an interface is in `notParts`. */
export const runtimeParts: readonly RuntimePart[] = [
  { key: 'acorn', name: 'acorn', purl: 'pkg:npm/acorn@' },
  { key: 'ada', name: 'ada', purl: github('ada-url/ada') },
  { key: 'amaro', name: 'amaro', purl: 'pkg:npm/amaro@' },
  { key: 'ares', name: 'c-ares', purl: github('c-ares/c-ares'), cpe: 'c-ares:c-ares' },
  { key: 'brotli', name: 'brotli', purl: github('google/brotli'), cpe: 'google:brotli' },
  {
    key: 'icu',
    name: 'icu',
    purl: github('unicode-org/icu', 'release-'),
    cpe: 'icu-project:international_components_for_unicode',
  },
  { key: 'llhttp', name: 'llhttp', purl: github('nodejs/llhttp'), cpe: 'llhttp:llhttp' },
  { key: 'merve', name: 'merve', purl: 'pkg:generic/merve@' },
  { key: 'nbytes', name: 'nbytes', purl: 'pkg:generic/nbytes@' },
  { key: 'ncrypto', name: 'ncrypto', purl: 'pkg:generic/ncrypto@' },
  { key: 'nghttp2', name: 'nghttp2', purl: github('nghttp2/nghttp2'), cpe: 'nghttp2:nghttp2' },
  { key: 'nghttp3', name: 'nghttp3', purl: github('ngtcp2/nghttp3'), cpe: 'ngtcp2:nghttp3' },
  { key: 'ngtcp2', name: 'ngtcp2', purl: github('ngtcp2/ngtcp2'), cpe: 'ngtcp2:ngtcp2' },
  { key: 'openssl', name: 'openssl', purl: github('openssl/openssl', 'openssl-'), cpe: 'openssl:openssl' },
  { key: 'simdjson', name: 'simdjson', purl: github('simdjson/simdjson') },
  { key: 'simdutf', name: 'simdutf', purl: github('simdutf/simdutf') },
  { key: 'sqlite', name: 'sqlite', purl: 'pkg:generic/sqlite@', cpe: 'sqlite:sqlite' },
  { key: 'undici', name: 'undici', purl: 'pkg:npm/undici@', cpe: 'nodejs:undici' },
  { key: 'uv', name: 'libuv', purl: github('libuv/libuv'), cpe: 'libuv:libuv' },
  { key: 'uvwasi', name: 'uvwasi', purl: github('nodejs/uvwasi') },
  { key: 'v8', name: 'v8', purl: 'pkg:generic/v8@', cpe: 'google:v8' },
  { key: 'zlib', name: 'zlib', purl: 'pkg:generic/zlib@', cpe: 'zlib:zlib' },
  { key: 'zstd', name: 'zstd', purl: github('facebook/zstd'), cpe: 'facebook:zstandard' },
];

/** In process.versions, and no library: Node itself, numbers of its interfaces, and data of ICU. */
export const notParts: readonly string[] = ['node', 'modules', 'napi', 'cldr', 'tz', 'unicode'];

/** As the project has numbered it: `1.3.2.1` of `1.3.2.1-motley-8002e91`, `13.6.233.17` of `13.6.233.17-node.53`. */
export function upstreamVersion(version: string): string {
  return version.replace(/^v/, '').replace(/[-+].*$/, '');
}

export function cpeOf(vendorAndProduct: string, version: string): string {
  return `cpe:2.3:a:${vendorAndProduct}:${version}:*:*:*:*:*:*:*`;
}
