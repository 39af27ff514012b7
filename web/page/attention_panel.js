// What the model attends to in one sentence: the views of `heed attention`, with a switch per head.
import { icon, make } from '../viewer/dom.js';
import { counted, visible } from '../viewer/text.js';
import { mountViewer } from '../viewer/viewer.js';
import { isAbort, wordsOf } from './failure.js';
import { Notice } from './parts.js';

/** @typedef {import('./page.js').Page} Page */
/** @typedef {import('./text_tab.js').TextTab} TextTab */
/** @typedef {import('../viewer/data.js').HeadName} HeadName */

const OPEN_ICON = 'M4 6l4 4 4-4';
const LONGEST_NAME = 60;

/** As the API names it: layers and heads count from 1. @param {HeadName} head */
const apiName = ({ part, layer, head }) => `${part}:${layer + 1}:${head + 1}`;

export class AttentionPanel {
  /** @param {Page} page @param {TextTab} tab */
  constructor(page, tab) {
    this.page = page;
    this.tab = tab;
    /** @type {import('../viewer/viewer.js').Viewer | null} */
    this.viewer = null;
    /** @type {AbortController | null} */
    this.asking = null;
    /** What is shown, so that the same is not asked for twice. */
    this.key = '';
    this.toggle = make(
      'button',
      {
        type: 'button',
        class: 'fold',
        'aria-expanded': 'false',
        'aria-controls': 'attention',
        onclick: () => page.store.set({ attention: !page.store.state.attention }),
      },
      icon(OPEN_ICON),
      'What the model attends to',
    );
    this.sentence = make('select', {
      id: 'attention-sentence',
      onchange: () => page.store.set({ sentence: Number(this.sentence.value) }),
    });
    this.chooser = make(
      'div',
      { class: 'field' },
      make('label', { for: 'attention-sentence' }, 'Sentence'),
      this.sentence,
    );
    this.off = make('div', { class: 'off-bar', hidden: true });
    this.notice = new Notice();
    this.root = make('div', { class: 'viewer-part' });
    this.body = make(
      'div',
      { id: 'attention', hidden: true },
      this.chooser,
      this.notice.element,
      this.root,
    );
    this.element = make(
      'section',
      { class: 'attention', 'aria-label': 'Attention' },
      this.off,
      make('h2', { class: 'fold-title' }, this.toggle),
      this.body,
    );
  }

  get index() {
    const last = (this.tab.result?.sentences.length ?? 1) - 1;
    return Math.min(this.page.store.state.sentence, last);
  }

  /** There is another result. */
  update() {
    this.drawOff();
    this.draw();
  }

  draw() {
    const { attention } = this.page.store.state;
    const { result } = this.tab;
    this.element.hidden = !result;
    this.toggle.setAttribute('aria-expanded', String(attention));
    this.body.hidden = !attention;
    if (!attention || !result) return;
    this.drawChooser(result);
    this.look();
  }

  /** @param {import('./result.js').Result} result */
  drawChooser({ sentences }) {
    this.chooser.hidden = sentences.length < 2;
    this.sentence.replaceChildren(
      ...sentences.map(({ answer }, i) =>
        make('option', { value: i }, visible(`${i + 1}. ${answer.source.slice(0, LONGEST_NAME)}`)),
      ),
    );
    this.sentence.value = String(this.index);
  }

  /** Which heads are off, and what the translation was with them. */
  drawOff() {
    const { without } = this.page.store.state;
    this.off.hidden = !without.length;
    if (!without.length) return;
    const { whole, result } = this.tab;
    const known = whole && result && whole !== result && whole.text === result.text;
    const same = known && whole.target === result.target;
    /** @type {(HTMLElement | false | null)[]} */
    const children = [
      make('span', {}, `${counted(without.length, 'head')} off: ${without.join(', ')}`),
      make(
        'button',
        { type: 'button', class: 'small', onclick: () => this.page.store.set({ without: [] }) },
        'Switch all on',
      ),
      same && make('span', { class: 'note' }, 'The translation stays the same.'),
      known &&
        !same &&
        make(
          'p',
          { class: 'whole note' },
          'With every head: ',
          make('bdi', { dir: 'auto', class: 'whole-text' }, visible(whole.target)),
        ),
    ];
    this.off.replaceChildren(...children.flatMap((child) => child || []));
  }

  /** Asks for the attention of the sentence. */
  async look() {
    const { result } = this.tab;
    const { to, without } = this.page.store.state;
    const sentence = result?.sentences[this.index];
    this.asking?.abort();
    this.asking = null;
    this.root.classList.remove('waiting');
    if (!result || !sentence?.answer.targetWords.length) {
      this.hide('There is nothing here that the model has translated.');
      return;
    }
    const { source, target } = sentence.answer;
    const key = JSON.stringify([source, target, result.from, to, without]);
    if (key === this.key) return;
    const asking = new AbortController();
    this.asking = asking;
    this.root.classList.add('waiting');
    try {
      const recording = await this.page.api.attention({
        source,
        target,
        from: result.from,
        to,
        without,
        signal: asking.signal,
      });
      this.key = key;
      this.notice.show('');
      await this.show(recording);
    } catch (error) {
      if (!isAbort(error)) this.hide(wordsOf(error));
    } finally {
      if (this.asking === asking) this.root.classList.remove('waiting');
    }
  }

  /** Shows no views: those of another sentence would be taken for this one's. */
  /** @param {string} reason */
  hide(reason) {
    this.key = '';
    this.root.hidden = true;
    this.notice.show(reason);
  }

  /** @param {any} recording */
  async show(recording) {
    this.root.hidden = false;
    if (this.viewer) {
      await this.viewer.show(recording);
      return;
    }
    this.viewer = mountViewer(this.root, () => recording, {
      part: true,
      onSwitch: (head, off) => this.switch(apiName(head), off),
    });
  }

  /** @param {string} name @param {boolean} off */
  switch(name, off) {
    const others = this.page.store.state.without.filter((each) => each !== name);
    this.page.store.set({ without: off ? [...others, name].sort() : others });
  }

  /** The colours have changed. */
  recolour() {
    this.viewer?.onChange(new Set(['theme']));
  }
}
