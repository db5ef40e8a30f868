/**
 * The tabs that agents may use: those that the user shared, and those that agents opened. The hub does not learn of any other.
 *
 * The list is kept in session storage: it survives the service worker and ends with the browser. Await `load` before changing it.
 * `changed` is called after every change.
 */

/** @typedef {'shared' | 'agent'} Kind */
/** @typedef {{ id: number, kind: Kind, since: number, opener?: number }} ControlledTab */
/** @typedef {{ get(key: string): Promise<Record<string, unknown>>, set(items: Record<string, unknown>): Promise<void> }} Storage */

const KEY = 'controlledTabs';

export class ControlledTabs {
  /** @param {Storage} storage @param {(tabs: ControlledTab[]) => void} changed */
  constructor(storage, changed) {
    this.storage = storage;
    this.changed = changed;
    /** @type {Map<number, ControlledTab>} */
    this.tabs = new Map();
  }

  async load() {
    const stored = (await this.storage.get(KEY))[KEY];
    for (const tab of /** @type {ControlledTab[]} */ (stored ?? [])) this.tabs.set(tab.id, tab);
  }

  /** @returns {ControlledTab[]} */
  list() {
    return [...this.tabs.values()];
  }

  /** @param {number | undefined} id @returns {boolean} */
  has(id) {
    return id !== undefined && this.tabs.has(id);
  }

  /** @param {number | undefined} id @returns {ControlledTab | undefined} */
  get(id) {
    return id === undefined ? undefined : this.tabs.get(id);
  }

  /** @param {number} id @param {Kind} kind @param {number} since @param {number} [opener] */
  add(id, kind, since, opener) {
    if (this.tabs.has(id)) return;
    this.tabs.set(id, opener === undefined ? { id, kind, since } : { id, kind, since, opener });
    this.save();
  }

  /** @param {number} id @returns {boolean} whether it was in the list */
  remove(id) {
    const removed = this.tabs.delete(id);
    if (removed) this.save();
    return removed;
  }

  /** Chrome replaces a tab's id in some cases (`tabs.onReplaced`). @param {number} from @param {number} to */
  replaceId(from, to) {
    const tab = this.tabs.get(from);
    if (!tab) return;
    this.tabs.delete(from);
    this.tabs.set(to, { ...tab, id: to });
    this.save();
  }

  clear() {
    if (this.tabs.size === 0) return;
    this.tabs.clear();
    this.save();
  }

  save() {
    void this.storage.set({ [KEY]: this.list() });
    this.changed(this.list());
  }
}
