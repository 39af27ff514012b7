// The languages of the server's models, and their names.

/** @typedef {{code: string, name: string, targets: string[]}} Language */

const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** @param {string} code */
function ownName(code) {
  try {
    return NAMES.of(code) ?? '';
  } catch {
    return '';
  }
}

export class Languages {
  /** @param {Language[]} list */
  constructor(list) {
    // Servers list each language among its own targets.
    this.list = list.map(({ code, name, targets }) => ({
      code,
      name,
      targets: targets.filter((target) => target !== code),
    }));
    this.list.sort((x, y) => this.nameOf(x.code).localeCompare(this.nameOf(y.code)));
  }

  /** @param {string} code */
  nameOf(code) {
    return this.list.find((each) => each.code === code)?.name || ownName(code) || code;
  }

  /** Those that can be translated from. */
  get sources() {
    return this.list.filter(({ targets }) => targets.length).map(({ code }) => code);
  }

  /** Those that can be translated into, from one language or, for `auto`, from any. */
  /** @param {string} from */
  targetsOf(from) {
    const codes = this.list
      .filter(({ code }) => from === 'auto' || code === from)
      .flatMap(({ targets }) => targets);
    return [...new Set(codes)].sort((a, b) => this.nameOf(a).localeCompare(this.nameOf(b)));
  }

  /** Whether there is a way from one to another. @param {string} from @param {string} to */
  has(from, to) {
    return this.targetsOf(from).includes(to);
  }

  /**
   * A pair that exists: what was asked for as far as possible.
   * @param {string} from @param {string} to
   */
  settled(from, to) {
    const source = from === 'auto' || this.sources.includes(from) ? from : 'auto';
    const targets = this.targetsOf(source);
    return { from: source, to: targets.includes(to) ? to : (targets[0] ?? '') };
  }
}

/** A code that the `lang` attribute takes; nothing for names that are none. @param {string} code */
export const langOf = (code) =>
  /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/.test(code) ? code.replaceAll('_', '-') : undefined;
