// The tab with the text: translates as the user types, and links the words of both sides.
import { make } from '../viewer/dom.js';
import { AlternativesList } from './alternatives.js';
import { AttentionPanel } from './attention_panel.js';
import { Failure, isAbort, wordsOf } from './failure.js';
import { LanguageBar } from './language_bar.js';
import { langOf } from './languages.js';
import { Notice, keyForm } from './parts.js';
import { linkedWords, sourceWordAt, withSentence, wordList } from './result.js';
import { SourcePane } from './source_pane.js';
import { TargetPane } from './target_pane.js';
import { changedWords } from './changed_words.js';

/** @typedef {import('./page.js').Page} Page */
/** @typedef {import('./result.js').Result} Result */
/** @typedef {import('./target_pane.js').Place} Place */

/** How long typing rests before a text is sent, in milliseconds. */
const REST = 250;
/** Texts with more characters are written smaller. */
const LONG = 280;
/** Longer waits show that something is going on. */
const PATIENCE = 250;

export class TextTab {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {Result | null} */
    this.result = null;
    /** With every head, for the comparison. @type {Result | null} */
    this.whole = null;
    this.wholeInto = '';
    /** @type {AbortController | null} */
    this.asking = null;
    this.later = 0;
    this.bar = new LanguageBar('text', page.store, page.languages, () => this.swap());
    this.source = new SourcePane({
      onInput: (text, pasted) => this.typed(text, pasted),
      onSend: () => this.translate(),
      onPoint: (at) => this.pointSource(at),
    });
    this.source.limit = page.settings.characters;
    this.target = new TargetPane(page.status, {
      onPoint: (place) => this.pointTarget(place),
      onChoose: (place) => this.offer(place),
    });
    this.panes = make('div', { class: 'panes' }, this.source.element, this.target.element);
    this.notice = new Notice();
    this.alternatives = new AlternativesList(page.status);
    this.attention = new AttentionPanel(page, this);
    this.element = make(
      'div',
      {},
      make(
        'section',
        { class: 'card translator', 'aria-label': 'Translator' },
        this.bar.element,
        this.panes,
        this.notice.element,
        this.alternatives.element,
      ),
      this.attention.element,
    );
  }

  /** Long texts are written smaller, on both sides: the longer one decides. */
  fitLetters() {
    const lengths = [this.source.area.value, this.result?.target ?? ''].map(({ length }) => length);
    this.panes.classList.toggle('long', Math.max(...lengths) > LONG);
  }

  /** Shows the state at first, and translates its text. */
  start() {
    this.source.show(this.page.store.state.text, langOf(this.page.store.state.from));
    this.fitLetters();
    this.bar.draw();
    this.attention.draw();
    this.translate();
  }

  /** @param {Set<string>} changed */
  onState(changed) {
    const { text, from } = this.page.store.state;
    if (changed.has('text') && text !== this.source.area.value) this.source.show(text);
    if (changed.has('text')) this.fitLetters();
    if (changed.has('from') || changed.has('to')) {
      this.bar.draw();
      this.source.show(text, langOf(from));
    }
    if (['from', 'to', 'without'].some((name) => changed.has(name))) this.translate();
    else if (changed.has('text')) this.translateAfter(REST);
    if (changed.has('attention') || changed.has('sentence')) this.attention.draw();
  }

  /** @param {string} text @param {boolean} pasted */
  typed(text, pasted) {
    this.alternatives.close();
    this.page.store.set({ text });
    if (pasted) this.translate();
  }

  swap() {
    const { from, to } = this.page.store.state;
    const source = from === 'auto' ? this.bar.detected : from;
    const text = this.result?.target ?? this.page.store.state.text;
    this.source.show(text, langOf(to));
    this.page.store.set({ from: to, to: source, text, without: [] });
    this.page.status.say(`From ${this.page.languages.nameOf(to)} into \
${this.page.languages.nameOf(source)}`);
  }

  /** @param {number} delay */
  translateAfter(delay) {
    clearTimeout(this.later);
    this.later = window.setTimeout(() => this.translate(), delay);
  }

  /** Translates what is there now; what was asked before is given up. */
  async translate() {
    clearTimeout(this.later);
    this.asking?.abort();
    const { text, from, to, without } = this.page.store.state;
    if (!text.trim()) {
      this.show(null);
      return;
    }
    if (this.source.isTooLong) {
      const limit = this.source.limit.toLocaleString('en');
      this.refuse(`The text is too long: this server takes ${limit} characters at once. Use the \
tab “Documents” for long texts.`);
      return;
    }
    const asking = new AbortController();
    this.asking = asking;
    const busy = window.setTimeout(() => this.target.setBusy(true), PATIENCE);
    try {
      const began = performance.now();
      const { api } = this.page;
      const wanted = { text, from, to, signal: asking.signal };
      const [result, whole] = await Promise.all([
        api.translate({ ...wanted, without }),
        // What it would be with every head: known, if it has been on the page before.
        without.length && !this.isWhole(wanted) ? api.translate({ ...wanted, without: [] }) : null,
      ]);
      if (whole) this.remember(whole, to);
      if (!without.length) this.remember(result, to);
      this.show(result);
      this.target.say(durationText(performance.now() - began));
    } catch (error) {
      if (isAbort(error)) return;
      this.refuse(wordsOf(error), error);
    } finally {
      clearTimeout(busy);
      if (this.asking === asking) {
        this.asking = null;
        this.target.setBusy(false);
      }
    }
  }

  /** @param {Result} result @param {string} to */
  remember(result, to) {
    this.whole = result;
    this.wholeInto = to;
  }

  /** Whether what is remembered is of this. */
  /** @param {{text: string, from: string, to: string}} wanted */
  isWhole({ text, from, to }) {
    const { whole } = this;
    const same = whole?.text === text && this.wholeInto === to;
    return same && (from === 'auto' ? Boolean(whole.detected) : whole.from === from);
  }

  /** Says why there is no translation. @param {string} words @param {unknown} [error] */
  refuse(words, error) {
    this.target.setBusy(false);
    const needsKey = error instanceof Failure && error.needsKey;
    const useKey = async (/** @type {string} */ key) => {
      this.page.connection.useKey(key);
      await this.translate();
      // The form is gone, or asks for another key.
      (document.getElementById('text-key') ?? this.source.area).focus();
    };
    this.notice.show(words, ...(needsKey ? [keyForm('text-key', useKey)] : []));
    this.element.classList.add('stale');
  }

  /** @param {Result | null} result */
  show(result) {
    const { to } = this.page.store.state;
    this.result = result;
    this.notice.show('');
    this.target.setBusy(false);
    this.target.say('');
    this.element.classList.remove('stale');
    this.alternatives.close();
    this.bar.detect(result?.detected ?? '', result?.sure ?? true);
    this.source.area.lang = langOf(result?.from ?? '') ?? '';
    this.target.show(result, this.changes(), langOf(to));
    this.fitLetters();
    if (result) this.page.status.sayAtRest(`Translation: ${result.target}`);
    this.attention.update();
  }

  /** The words that differ from the translation with every head. @returns {Set<string>} */
  changes() {
    const { result, whole } = this;
    if (!result || !whole || result === whole || whole.text !== result.text) return new Set();
    const now = wordList(result);
    const places = changedWords(
      wordList(whole).map(({ text }) => text),
      now.map(({ text }) => text),
    );
    return new Set([...places].map((place) => now[place].key));
  }

  /** @param {number | null} at */
  pointSource(at) {
    const { result } = this;
    const isCurrent = result?.text === this.source.area.value;
    const place = result && isCurrent && at !== null ? sourceWordAt(result, at) : null;
    this.light('source', place);
  }

  /** @param {Place | null} place */
  pointTarget(place) {
    this.light('target', place);
  }

  /** @param {'source' | 'target'} side @param {Place | null} place */
  light(side, place) {
    const sentence = place && this.result?.sentences[place.sentence];
    const current = this.result?.text === this.source.area.value;
    if (!sentence || !current) {
      this.source.light([]);
      this.target.light([]);
      return;
    }
    const { source, target } = linkedWords(sentence, side, place.word);
    const spans = source.flatMap((word) => sentence.sourceWords[word] ?? []);
    this.source.light(spans.sort((a, b) => a.begin - b.begin));
    this.target.light(target.map((word) => ({ sentence: place.sentence, word })));
  }

  /** Offers what else could stand in the place of a word. @param {Place} place */
  offer(place) {
    const anchor = this.target.elementOf(place);
    const { result } = this;
    if (!anchor || !result) return;
    const { to, without } = this.page.store.state;
    const sentence = result.sentences[place.sentence];
    this.page.store.set({ sentence: place.sentence });
    this.alternatives.open(
      anchor,
      langOf(to) ?? '',
      (signal) =>
        this.page.api.alternatives({
          sentence,
          word: place.word,
          from: result.from,
          to,
          without,
          signal,
        }),
      ({ answer }) => {
        this.show(withSentence(result, place.sentence, answer));
        this.target.elementOf(place)?.focus();
      },
    );
  }
}

/** @param {number} time in milliseconds */
const durationText = (time) =>
  time < 1000 ? `${Math.max(1, Math.round(time))} ms` : `${(time / 1000).toFixed(1)} s`;
