// The tab for files: they come by drag and drop or from the file dialog, and go as downloads.
import { foreign, icon, make, setText } from '../viewer/dom.js';
import { ACCEPTED, groupsOf, kindOf, textOf, translatedName } from './document_kinds.js';
import { Failure, isAbort, wordsOf } from './failure.js';
import { LanguageBar } from './language_bar.js';
import { Notice, keyForm } from './parts.js';

/** @typedef {import('./page.js').Page} Page */

const FILE_ICON = 'M4 1.5h5.5L13 5v9.5H4zM9.5 1.5V5H13';
const LARGEST = 20 << 20;
/** Browsers have few connections to a server: what is typed needs some of them, too. */
const MOST_AT_ONCE = 3;

export class DocumentsTab {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.bar = new LanguageBar('documents', page.store, page.languages, () => this.swap());
    this.input = make('input', {
      type: 'file',
      id: 'files',
      class: 'hidden-input',
      multiple: true,
      accept: ACCEPTED,
      onchange: () => {
        this.take(this.input.files);
        this.input.value = '';
      },
    });
    this.zone = make(
      'div',
      {
        class: 'drop-zone',
        ondragenter: (/** @type {DragEvent} */ event) => this.dragged(event, true),
        ondragover: (/** @type {DragEvent} */ event) => this.dragged(event, true),
        ondragleave: (/** @type {DragEvent} */ event) => this.dragged(event, false),
        ondrop: (/** @type {DragEvent} */ event) => {
          this.dragged(event, false);
          this.take(event.dataTransfer?.files ?? null);
        },
      },
      icon(FILE_ICON),
      make('p', {}, 'Drop files here, or'),
      this.input,
      make('label', { for: 'files', class: 'primary' }, 'Choose files'),
      make('p', { class: 'note' }, 'Plain text, HTML or gettext PO, in UTF-8'),
    );
    this.notice = new Notice();
    this.list = make('ul', { class: 'files', 'aria-label': 'Files' });
    /** Files that wait for their turn, and for a key. @type {DocumentLine[]} */
    this.queue = [];
    this.running = 0;
    /** @type {DocumentLine[]} */
    this.waiting = [];
    this.element = make(
      'section',
      { class: 'card', 'aria-label': 'Documents' },
      this.bar.element,
      this.zone,
      this.notice.element,
      this.list,
    );
    this.bar.draw();
    // A file that misses the zone would take the place of the page.
    for (const name of ['dragover', 'drop']) {
      window.addEventListener(name, (event) => {
        if (!(/** @type {DragEvent} */ (event).dataTransfer?.types.includes('Files'))) return;
        event.preventDefault();
      });
    }
  }

  onState() {
    this.bar.draw();
  }

  swap() {
    const { from, to } = this.page.store.state;
    this.page.store.set({ from: to, to: from });
  }

  /** @param {DragEvent} event @param {boolean} over */
  dragged(event, over) {
    event.preventDefault();
    this.zone.classList.toggle('over', over);
  }

  /** @param {FileList | null} files */
  take(files) {
    for (const file of files ?? []) {
      const { from, to } = this.page.store.state;
      const line = new DocumentLine(this.page, file, from, to);
      this.list.prepend(line.element);
      this.enqueue(line);
    }
  }

  /** @param {DocumentLine} line */
  async enqueue(line) {
    line.wait();
    this.queue.push(line);
    if (this.running >= MOST_AT_ONCE) return;
    this.running += 1;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) await this.run(next);
    this.running -= 1;
  }

  /** @param {DocumentLine} line */
  async run(line) {
    const failure = await line.run();
    if (!failure?.needsKey) return;
    this.waiting.push(line);
    const useKey = (/** @type {string} */ key) => {
      this.page.connection.useKey(key);
      this.notice.show('');
      this.input.focus();
      for (const each of this.waiting.splice(0)) this.enqueue(each);
    };
    this.notice.show(failure.message, keyForm('documents-key', useKey));
  }
}

/** One file: what becomes of it, and the result. */
class DocumentLine {
  /** @param {Page} page @param {File} file @param {string} from @param {string} to */
  constructor(page, file, from, to) {
    this.page = page;
    this.file = file;
    this.from = from;
    this.to = to;
    this.stop = new AbortController();
    this.words = make('span', { class: 'note' });
    // Without a value until the first of several requests is done: it says that it works.
    this.progress = make('progress', { max: 1, 'aria-label': `Progress of ${file.name}` });
    this.cancel = make(
      'button',
      {
        type: 'button',
        class: 'small',
        onclick: () => {
          this.stop.abort();
          if (!this.begun) this.end('Cancelled', false);
        },
      },
      'Cancel',
    );
    this.begun = false;
    this.element = make(
      'li',
      {},
      icon(FILE_ICON),
      foreign(file.name, { class: 'file-name' }),
      this.words,
    );
  }

  wait() {
    this.begun = false;
    this.words.classList.remove('failed');
    setText(this.words, 'Waiting …');
    this.element.append(this.cancel);
  }

  /** Translates the file. @returns {Promise<Failure | null>} what the server has against it */
  async run() {
    if (this.stop.signal.aborted) return null;
    this.begun = true;
    this.element.append(this.progress, this.cancel);
    try {
      this.offer(await this.translate());
    } catch (error) {
      this.end(isAbort(error) ? 'Cancelled' : reasonOf(error), !isAbort(error));
      return error instanceof Failure ? error : null;
    }
    return null;
  }

  /** @returns {Promise<Blob>} */
  async translate() {
    const { file } = this;
    const kind = kindOf(file.name);
    if (!kind) throw new Failure('This is not a kind of file that can be translated here.');
    if (file.size > LARGEST) throw new Failure('This file is larger than 20 MB.');
    setText(this.words, 'Translating …');
    const { api } = this.page;
    const { from, to } = this;
    const { signal } = this.stop;
    if (kind === 'po') return new Blob([await api.document({ file, from, to, signal })]);
    const text = textOf(await file.arrayBuffer());
    const groups = kind === 'html' ? [[text]] : groupsOf(text, this.page.settings.characters);
    /** @type {string[]} */
    const lines = [];
    for (const [i, texts] of groups.entries()) {
      lines.push(...(await api.translateTexts({ texts, from, to, format: kind, signal })));
      this.progress.value = (i + 1) / groups.length;
    }
    return new Blob([lines.join('\n')], { type: kind === 'html' ? 'text/html' : 'text/plain' });
  }

  /** @param {Blob} translated */
  offer(translated) {
    const name = translatedName(this.file.name, this.to);
    const hadFocus = this.cancel === document.activeElement;
    this.end('Done', false);
    const save = make(
      'a',
      { class: 'small', href: URL.createObjectURL(translated), download: name },
      'Save',
    );
    this.element.append(save);
    if (hadFocus) save.focus();
    this.page.status.say(`${this.file.name} is translated`);
  }

  /** @param {string} words @param {boolean} failed */
  end(words, failed) {
    setText(this.words, words);
    this.words.classList.toggle('failed', failed);
    if (failed) this.page.status.say(`${this.file.name}: ${words}`);
    this.progress.remove();
    this.cancel.remove();
  }
}

/** @param {unknown} error */
const reasonOf = (error) =>
  error instanceof TypeError ? 'This file is not a text in UTF-8.' : wordsOf(error);
