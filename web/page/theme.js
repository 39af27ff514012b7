// Light or dark: as the system says, unless the user chose. The viewer reads `data-theme`. Paper is
// light.
import { keep, kept } from './storage.js';

const KEY = 'heed-theme';
const DARK = window.matchMedia('(prefers-color-scheme: dark)');

/** @returns {'auto' | 'light' | 'dark'} */
function chosen() {
  const theme = kept('local', KEY);
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
}

export class Theme {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.printing = false;
    DARK.addEventListener('change', () => this.apply());
    window.addEventListener('beforeprint', () => this.print(true));
    window.addEventListener('afterprint', () => this.print(false));
  }

  get name() {
    const theme = chosen();
    return theme === 'auto' ? 'as the system' : theme;
  }

  /** @param {boolean} printing */
  print(printing) {
    this.printing = printing;
    this.apply();
  }

  apply() {
    const theme = this.printing ? 'light' : chosen();
    document.documentElement.dataset.theme =
      theme === 'auto' ? (DARK.matches ? 'dark' : 'light') : theme;
    this.onChange();
  }

  /** First the other scheme than the system's, then the system's own, then again as it says. */
  next() {
    const order = DARK.matches ? ['auto', 'light', 'dark'] : ['auto', 'dark', 'light'];
    keep('local', KEY, order[(order.indexOf(chosen()) + 1) % 3]);
    this.apply();
  }
}
