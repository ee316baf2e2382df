/**
 * npm's settings that decide where packages come from. Nothing else of the caller's npm is passed on: his cache, prefix and
 * project don't exist in the new root.
 */
const passed: ReadonlySet<string> = new Set([
  'registry',
  'replace-registry-host',
  'proxy',
  'https-proxy',
  'noproxy',
  'strict-ssl',
  'maxsockets',
  'fetch-retries',
  'fetch-timeout',
]);
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

export interface PassedSettings {
  /** Variables for npm in the new root. */
  readonly env: Readonly<Record<string, string>>;
  /** Files of certificate authorities, as this machine names them, by the names that `env` gives them. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * What npm needs to know in another root, as variables: `settings` is what `npm config list --long --json` prints,
 * `env` the variables of the caller. `dir` is where the root will have the files.
 */
export function passedSettings(
  settings: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  dir: string,
): PassedSettings {
  const variables: Record<string, string> = {};
  const files: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings)) {
    const isScope = /^@[^:]+:registry$/.test(name);
    const text = settingText(value);
    if ((passed.has(name) || isScope) && text !== '')
      variables[`npm_config_${isScope ? name : name.replaceAll('-', '_')}`] = text;
  }
  for (const name of proxies) {
    const value = env[name];
    if (value) variables[name] = value;
  }
  for (const [name, file] of [
    ['npm_config_cafile', settings['cafile']],
    ['NODE_EXTRA_CA_CERTS', env['NODE_EXTRA_CA_CERTS']],
  ] as const) {
    if (typeof file !== 'string' || file === '') continue;
    const there = `${dir}/${name}.pem`;
    variables[name] = there;
    files[there] = file;
  }
  return { env: variables, files };
}

/** As a variable says it; empty for what is not set. */
function settingText(value: unknown): string {
  if (Array.isArray(value)) return value.filter((each) => each !== '').join(',');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
