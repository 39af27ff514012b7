// The tab for files: they come by drag and drop or from the file dialog, and go as downloads.
import { foreign, icon, make, setText } from '../viewer/dom.js';
import { ACCEPTED, groupsOf, kindOf, textOf, translatedName } from './document_kinds.js';
import { Failure, isAbort, wordsOf } from './failure.js';
import { LanguageBar } from './language_bar.js';

/** @typedef {import('./page.js').Page} Page */

const FILE_ICON = 'M4 1.5h5.5L13 5v9.5H4zM9.5 1.5V5H13';
const LARGEST = 20 << 20;

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
    this.list = make('ul', { class: 'files', 'aria-label': 'Files' });
    this.element = make(
      'section',
      { class: 'card', 'aria-label': 'Documents' },
      this.bar.element,
      this.zone,
      this.list,
    );
    this.bar.draw();
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
      line.run();
    }
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
    this.progress = make('progress', {
      max: 1,
      value: 0,
      'aria-label': `Progress of ${file.name}`,
    });
    this.cancel = make(
      'button',
      { type: 'button', class: 'small', onclick: () => this.stop.abort() },
      'Cancel',
    );
    this.element = make(
      'li',
      {},
      icon(FILE_ICON),
      foreign(file.name, { class: 'file-name' }),
      this.words,
      this.progress,
      this.cancel,
    );
  }

  async run() {
    try {
      const translated = await this.translate();
      this.offer(translated);
    } catch (error) {
      this.end(isAbort(error) ? 'Cancelled' : reasonOf(error), !isAbort(error));
    }
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
    const groups = kind === 'html' ? [[text]] : groupsOf(text);
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
    this.end('Done', false);
    this.element.append(
      make('a', { class: 'small', href: URL.createObjectURL(translated), download: name }, 'Save'),
    );
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
