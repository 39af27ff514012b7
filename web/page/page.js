// The page as a whole: its state, its parts, and what they share.
import { Address } from '../viewer/address.js';
import { make } from '../viewer/dom.js';
import { nameButton, themeButton } from '../viewer/layout.js';
import { ApiTab } from './api_tab.js';
import { Api } from './api.js';
import { Connection } from './connection.js';
import { DocumentsTab } from './documents_tab.js';
import { Languages } from './languages.js';
import { PageStore, readPageHash, writePageHash } from './state.js';
import { Status } from './status.js';
import { Tabs } from './tabs.js';
import { TextTab } from './text_tab.js';
import { Theme } from './theme.js';
import { TrainingTab } from './training_tab.js';
import { TroubleBar } from './trouble_bar.js';

export class Page {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.status = new Status();
    this.trouble = new TroubleBar(this.status, () => this.connection.hurry());
    this.connection = new Connection((trouble) => this.trouble.show(trouble));
    this.api = new Api(this.connection);
    this.store = new PageStore(readPageHash(window.location.hash));
    this.address = new Address();
    this.languages = new Languages([]);
    this.settings = { characters: Infinity, keyRequired: false };
    /** @type {(() => void)[]} */
    this.recolour = [];
    this.themeButton = themeButton(() => this.theme.next());
    this.theme = new Theme(() => {
      nameButton(this.themeButton, `Colours: ${this.theme.name}`);
      for (const each of this.recolour) each();
    });
    this.theme.apply();
  }

  /** Asks what the server has, however long it takes to answer, and shows the page. */
  async start() {
    const waiting = make('p', { class: 'loading' }, 'Asking the server for its languages …');
    this.root.replaceChildren(
      this.header(),
      this.trouble.element,
      make('main', {}, waiting),
      this.status.element,
    );
    const [languages, settings] = await Promise.all([this.api.languages(), this.api.settings()]);
    this.languages = new Languages(languages);
    this.settings = settings;
    const { from, to } = this.store.state;
    this.store.set(this.languages.settled(from, to));
    this.layOut();
    this.store.subscribe((_, changed) => this.onState(changed));
    window.addEventListener('hashchange', () => this.onHash());
    this.tabs?.show(this.store.state.tab);
    this.text?.start();
    this.showTab();
    this.root.dataset.ready = 'true';
  }

  header() {
    return make(
      'header',
      { class: 'top' },
      make('h1', { class: 'heed' }, 'heed'),
      this.tabs?.element,
      make('div', { class: 'buttons' }, this.themeButton),
    );
  }

  layOut() {
    this.text = new TextTab(this);
    this.documents = new DocumentsTab(this);
    this.training = new TrainingTab(this);
    this.curl = new ApiTab(this);
    this.tabs = new Tabs(
      [
        { name: 'text', title: 'Text', panel: this.text.element },
        { name: 'documents', title: 'Documents', panel: this.documents.element },
        { name: 'training', title: 'Training', panel: this.training.element },
        { name: 'api', title: 'API', panel: this.curl.element },
      ],
      (tab) => this.store.set({ tab }),
    );
    this.recolour.push(
      () => this.text?.attention.recolour(),
      () => this.training?.draw(),
    );
    this.root.replaceChildren(
      this.header(),
      this.trouble.element,
      make('main', {}, ...this.tabs.panels),
      make('footer', {}, 'What you type goes to this server and nowhere else.'),
      this.status.element,
    );
  }

  /** @param {Set<string>} changed */
  onState(changed) {
    this.address.show(writePageHash(this.store.state));
    if (changed.has('tab')) this.tabs?.show(this.store.state.tab);
    this.text?.onState(changed);
    this.documents?.onState();
    if (changed.has('tab')) this.showTab();
  }

  /** What a tab shows is asked for when it is opened. */
  showTab() {
    const { tab } = this.store.state;
    if (tab === 'training') this.training?.start();
    if (tab === 'api') this.curl?.draw();
  }

  /** The user has changed the address, or gone back. */
  onHash() {
    if (window.location.hash === this.address.hash) return;
    this.address.hash = window.location.hash;
    const asked = readPageHash(window.location.hash);
    this.store.set({ ...asked, ...this.languages.settled(asked.from, asked.to) });
  }
}
