import { showMessage } from './message.js';
/** @import { Answer, Found, Path, Requests, ShownPath, Step } from './types.ts' */

/** How long a call waits for the terminal: shorter than the API's default, because a user is watching. */
const holdMs = 2000;

/**
 * One call. Returns its answer; undefined if it was refused; the page then shows why. `what` names the action.
 * @template {Path} P
 * @param {P} path
 * @param {Requests[P]} body
 * @param {string} what
 * @returns {Promise<Answer<P> | undefined>}
 */
export async function post(path, body, what) {
  return call('POST', path, { body: JSON.stringify(body) }, what);
}

/**
 * The same for a customer's action, which gives up after a while.
 * @template {Path} P
 * @param {P} path
 * @param {Requests[P]} body
 * @param {string} what
 * @returns {Promise<Answer<P> | undefined>}
 */
export async function act(path, body, what) {
  return post(path, { ...body, holdMs }, what);
}

/** @type {(path: string, what: string) => Promise<object | undefined>} */
export async function remove(path, what) {
  return call('DELETE', path, {}, what);
}

/**
 * A call of a scenario, whose path and body are data.
 * @type {(step: Extract<Step, { call: string }>, what: string) => Promise<object | undefined>}
 */
export async function postStep({ call: path, body }, what) {
  return call('POST', path, { body: JSON.stringify(body) }, what);
}

/**
 * Fetches data to be shown.
 * @template {ShownPath} P
 * @param {P} path
 * @returns {Promise<Found<P> | undefined>}
 */
export async function get(path) {
  return call('GET', path, {}, path);
}

/** @type {(method: string, path: string, more: RequestInit, what: string) => Promise<any>} */
async function call(method, path, more, what) {
  if (method !== 'GET') showMessage('');
  try {
    const response = await fetch(path, { method, ...more });
    const answer = await response.json();
    if (response.ok) return answer;
    showMessage(`${what}: ${answer.error}`);
  } catch {
    showMessage('The simulator does not answer.');
  }
  return undefined;
}
