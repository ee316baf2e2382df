/** @import { Call } from './types.ts' */

/** The same call in a shell, and with the till's library that the terminal serves. */

/**
 * `body`: undefined for a GET. The quotes of a shell end before a single quote and go on behind it.
 * @type {(api: string, call: Call) => string}
 */
export function curlOf(api, { method, path, body }) {
  const k = api.startsWith('https:') ? 'k' : '';
  const url = `${api}/sp/v1/${path}`;
  if (method === 'GET') return `curl -s${k} '${url}'`;
  const text = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -s${k} ${url} -H 'Content-Type: application/json' -d '${text}'`;
}

/**
 * Calls of the client by path.
 * @type {Readonly<Record<string, string>>}
 */
const methods = { payment: 'pay', settlement: 'settle', cancel: 'cancel', enquiry: 'enquiry', receipt: 'receipt' };

/**
 * Undefined where the library has no call of its own.
 * @type {(api: string, call: Call) => string | undefined}
 */
export function clientOf(api, { path, body }) {
  const method = methods[path];
  if (method === undefined || body === undefined) return undefined;
  const fields = Object.entries(body).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  return [
    `// save as till.mjs; curl -so client.js ${api}/client.js; node till.mjs`,
    "import { Client } from './client.js';",
    '',
    `const till = new Client({ url: '${api}' });`,
    `const outcome = await till.${method}({`,
    ...fields,
    '});',
    'console.log(outcome);',
  ].join('\n');
}
