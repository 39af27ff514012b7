// What goes wrong between the page and the server, in words that a user understands.

/** How long a server asks to be left alone at most, in seconds. */
const LONGEST_WAIT = 60;

/**
 * `passing`: the same request may succeed later, as when the server restarts or has too much to do.
 * `needsKey`: the server wants an API key, or another one.
 */
export class Failure extends Error {
  /**
   * @param {string} message
   * @param {{passing?: boolean, needsKey?: boolean, wait?: number}} [more] wait in seconds
   */
  constructor(message, { passing = false, needsKey = false, wait = 0 } = {}) {
    super(message);
    this.passing = passing;
    this.needsKey = needsKey;
    this.wait = Math.min(wait, LONGEST_WAIT);
  }
}

/** There was no answer at all. */
export const noAnswer = () => new Failure('The server does not answer.', { passing: true });

/**
 * An answer that is not what was asked for. `said` is what the server says, if it says something.
 * @param {number} status @param {string} said @param {number} wait
 * @param {boolean} [hadKey] whether a key was sent
 */
export function failureOf(status, said, wait, hadKey = false) {
  const own = said && `${said}${/[.!?]$/.test(said) ? '' : '.'}`;
  switch (status) {
    case 401:
    case 403:
      return new Failure(
        hadKey ? 'The server does not take this API key.' : 'This server needs an API key.',
        { needsKey: true },
      );
    case 404:
    case 405:
      return new Failure('This server cannot do this. It may be older than this page.');
    case 408:
    case 504:
      return tookTooLong();
    case 413:
      return new Failure(own || 'This is more than the server takes at once.');
    case 456:
      // Another try would not help before the month is over.
      return new Failure('The quota of characters is used up.');
    case 429:
      return new Failure('These were many requests in a short time.', {
        passing: true,
        wait: wait || 2,
      });
    case 502:
    case 503:
      // The same text would take as long again, and keep the server from others.
      if (/not done in time/.test(said)) return tookTooLong();
      return new Failure('The server is busy or starting.', { passing: true, wait });
    default:
      return new Failure(own || `The server answered with status ${status}.`);
  }
}

const tookTooLong = () =>
  new Failure('This took longer than the server allows. Try a shorter text.');

/** What an error says to a user. @param {unknown} error */
export function wordsOf(error) {
  if (error instanceof Failure) return error.message;
  return `Something on this page went wrong: ${error instanceof Error ? error.message : error}`;
}

/** Whether somebody gave the request up. @param {unknown} error */
export const isAbort = (error) => error instanceof DOMException && error.name === 'AbortError';
