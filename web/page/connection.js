// Requests to the server that served the page, and nowhere else. While it restarts or is busy,
// requests wait, the page says so, and all go on when it is back.
import { Failure, failureOf, isAbort, noAnswer } from './failure.js';
import { kept, keep } from './storage.js';

const FIRST_DELAY = 500;
const LONGEST_DELAY = 15000;

/** The time before a further attempt, doubled each time. @param {number} attempt from 0 on */
export const delayOf = (attempt) => Math.min(FIRST_DELAY * 2 ** attempt, LONGEST_DELAY);

/**
 * What the page says while it waits: why, and when it tries again (milliseconds of Date.now).
 * @typedef {{reason: string, next: number}} Trouble
 */

/**
 * @typedef {{
 *   body?: any, signal?: AbortSignal, text?: boolean, patient?: boolean,
 * }} Request body: sent as JSON, or as it is if it is FormData; patient: waits for the server
 */

export class Connection {
  /** @param {(trouble: Trouble | null) => void} onTrouble */
  constructor(onTrouble) {
    this.onTrouble = onTrouble;
    this.key = kept('session', 'heed-key');
    /** Settled when the server is back. @type {Promise<void> | null} */
    this.returning = null;
    this.hurry = () => {};
    window.addEventListener('online', () => this.hurry());
  }

  /** @param {string} key sent with every request from now on, and kept until the tab is closed */
  useKey(key) {
    this.key = key;
    keep('session', 'heed-key', key);
  }

  /** The answer to a request. @param {string} path @param {Request} [request] */
  async ask(path, request = {}) {
    for (;;) {
      try {
        return await this.askOnce(path, request);
      } catch (error) {
        const passing = error instanceof Failure && error.passing;
        if (!passing || request.patient === false) throw error;
        await this.wait(/** @type {Failure} */ (error), request.signal);
      }
    }
  }

  /** @param {string} path @param {Request} request */
  async askOnce(path, { body, signal, text }) {
    const response = await this.send(path, body, signal);
    const answer = await response.text().catch((error) => {
      throw isAbort(error) ? error : noAnswer();
    });
    if (!response.ok) {
      const wait = Number(response.headers.get('Retry-After')) || 0;
      throw failureOf(response.status, saidIn(answer), wait, Boolean(this.key));
    }
    return text ? answer : JSON.parse(answer);
  }

  /** @param {string} path @param {any} body @param {AbortSignal} [signal] */
  async send(path, body, signal) {
    /** @type {Record<string, string>} */
    const headers = this.key ? { Authorization: `Bearer ${this.key}` } : {};
    const form = body instanceof FormData;
    if (body !== undefined && !form) headers['Content-Type'] = 'application/json';
    try {
      return await fetch(new URL(path, document.baseURI), {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        body: body === undefined || form ? body : JSON.stringify(body),
        signal,
        cache: 'no-store',
      });
    } catch (error) {
      throw isAbort(error) ? error : noAnswer();
    }
  }

  /** Waits until the server is back. @param {Failure} failure @param {AbortSignal} [signal] */
  async wait(failure, signal) {
    this.returning ??= this.comeBack(failure).finally(() => (this.returning = null));
    await Promise.race([this.returning, aborted(signal)]);
  }

  /** @param {Failure} failure */
  async comeBack(failure) {
    let { message, wait } = failure;
    for (let attempt = 0; ; ++attempt) {
      await this.pause(message, Math.max(delayOf(attempt), wait * 1000));
      try {
        const response = await this.send('health', undefined);
        if (response.ok) break;
        [message, wait] = ['The server is starting.', 0];
      } catch {
        [message, wait] = [noAnswer().message, 0];
      }
    }
    this.onTrouble(null);
  }

  /** Waits, or until the user asks to hurry. @param {string} reason @param {number} delay */
  async pause(reason, delay) {
    this.onTrouble({ reason, next: Date.now() + delay });
    await new Promise((done) => {
      this.hurry = () => done(undefined);
      setTimeout(done, delay);
    });
  }
}

/** The text of an error in an answer, as both APIs write it. @param {string} answer */
function saidIn(answer) {
  try {
    const json = JSON.parse(answer);
    const said = json.error?.message ?? json.error ?? json.message;
    return typeof said === 'string' ? said : '';
  } catch {
    return '';
  }
}

/** @param {AbortSignal} [signal] @returns {Promise<never>} */
function aborted(signal) {
  return new Promise((_, reject) => {
    const fail = () => reject(new DOMException('given up', 'AbortError'));
    if (signal?.aborted) fail();
    signal?.addEventListener('abort', fail, { once: true });
  });
}
