// Light or dark: as the system says, unless the user chose. The viewer reads `data-theme`.

const KEY = 'heed-theme';
const DARK = window.matchMedia('(prefers-color-scheme: dark)');

/** @returns {'auto' | 'light' | 'dark'} */
function chosen() {
  const theme = localStorage.getItem(KEY);
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
}

export class Theme {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    DARK.addEventListener('change', () => this.apply());
  }

  get name() {
    const theme = chosen();
    return theme === 'auto' ? 'as the system' : theme;
  }

  apply() {
    const theme = chosen();
    document.documentElement.dataset.theme =
      theme === 'auto' ? (DARK.matches ? 'dark' : 'light') : theme;
    this.onChange();
  }

  /** First the other scheme than the system's, then the system's own, then again as it says. */
  next() {
    const order = DARK.matches ? ['auto', 'light', 'dark'] : ['auto', 'dark', 'light'];
    localStorage.setItem(KEY, order[(order.indexOf(chosen()) + 1) % 3]);
    this.apply();
  }
}
