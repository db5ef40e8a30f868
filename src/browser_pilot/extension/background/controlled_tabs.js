/**
 * Which tabs agents may drive: those that the user shared, and those that agents opened. All others do not exist for the hub.
 *
 * The list survives the death of the service worker (session storage), and ends with the browser. Whoever changes it must have
 * awaited `load`. Every change is told to `changed`.
 */

/** @typedef {'shared' | 'agent'} Kind */
/** @typedef {{ id: number, kind: Kind, since: number, opener?: number }} DrivenTab */
/** @typedef {{ get(key: string): Promise<Record<string, unknown>>, set(items: Record<string, unknown>): Promise<void> }} Storage */

const KEY = 'driven';

export class DrivenTabs {
  /** @param {Storage} storage @param {(tabs: DrivenTab[]) => void} changed */
  constructor(storage, changed) {
    this.storage = storage;
    this.changed = changed;
    /** @type {Map<number, DrivenTab>} */
    this.tabs = new Map();
  }

  async load() {
    const stored = (await this.storage.get(KEY))[KEY];
    for (const tab of /** @type {DrivenTab[]} */ (stored ?? [])) this.tabs.set(tab.id, tab);
  }

  /** @returns {DrivenTab[]} */
  list() {
    return [...this.tabs.values()];
  }

  /** @param {number | undefined} id @returns {boolean} */
  has(id) {
    return id !== undefined && this.tabs.has(id);
  }

  /** @param {number | undefined} id @returns {DrivenTab | undefined} */
  get(id) {
    return id === undefined ? undefined : this.tabs.get(id);
  }

  /** @param {number} id @param {Kind} kind @param {number} since @param {number} [opener] */
  add(id, kind, since, opener) {
    if (this.tabs.has(id)) return;
    this.tabs.set(id, opener === undefined ? { id, kind, since } : { id, kind, since, opener });
    this.keep();
  }

  /** @param {number} id @returns {boolean} whether it was there */
  remove(id) {
    const was = this.tabs.delete(id);
    if (was) this.keep();
    return was;
  }

  /** Chrome sometimes gives a tab another number. @param {number} from @param {number} to */
  renumber(from, to) {
    const tab = this.tabs.get(from);
    if (!tab) return;
    this.tabs.delete(from);
    this.tabs.set(to, { ...tab, id: to });
    this.keep();
  }

  clear() {
    if (this.tabs.size === 0) return;
    this.tabs.clear();
    this.keep();
  }

  keep() {
    void this.storage.set({ [KEY]: this.list() });
    this.changed(this.list());
  }
}
