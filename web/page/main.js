// The page at `/` of `heed serve`.
import { make } from '../viewer/dom.js';
import { visible } from '../viewer/text.js';
import { Failure, wordsOf } from './failure.js';
import { Page } from './page.js';
import { keyForm } from './parts.js';

const root = /** @type {HTMLElement} */ (document.getElementById('app'));
const page = new Page(root);

/** Whatever happens, there is a page that says what to do. @param {unknown} error */
function showError(error) {
  const needsKey = error instanceof Failure && error.needsKey;
  root.replaceChildren(
    page.header(),
    make(
      'main',
      { class: 'failed' },
      make('p', { class: 'error', role: 'alert' }, visible(wordsOf(error))),
      needsKey &&
        keyForm('first-key', (key) => {
          page.connection.useKey(key);
          start();
        }),
      make(
        'p',
        {},
        make('button', { type: 'button', class: 'primary', onclick: start }, 'Try again'),
      ),
    ),
  );
}

const start = () => page.start().catch(showError);
start();
