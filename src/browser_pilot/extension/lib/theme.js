/** The theme that the user chose: light, dark, or the system's. Kept per extension, and per browser for the dashboard. */

/**
 * @typedef {object} ThemeStore
 * @property {() => Promise<string>} load
 * @property {(theme: string) => Promise<void>} save
 * @property {(changed: () => void) => void} onChange also for changes made in another page
 */

const DEFAULT = 'system';
const STORAGE_KEY = 'browser-pilot-theme';

/** @type {ThemeStore} */
export const extensionTheme = {
  load: async () => String((await chrome.storage.local.get({ theme: DEFAULT })).theme),
  save: (theme) => chrome.storage.local.set({ theme }),
  onChange: (changed) => chrome.storage.local.onChanged.addListener((changes) => changes.theme && changed()),
};

/** @type {ThemeStore} */
export const dashboardTheme = {
  load: async () => localStorage.getItem(STORAGE_KEY) ?? DEFAULT,
  save: async (theme) => localStorage.setItem(STORAGE_KEY, theme),
  onChange: (changed) => window.addEventListener('storage', (event) => event.key === STORAGE_KEY && changed()),
};

/** Applies the chosen theme to this page, now and after every change. @param {ThemeStore} store @param {(theme: string) => void} [applied] */
export async function followTheme(store, applied = () => {}) {
  const apply = async () => {
    const theme = await store.load();
    document.documentElement.dataset.theme = theme;
    applied(theme);
  };
  store.onChange(() => void apply());
  await apply();
}

/** Saves the theme and applies it to this page: a page gets no storage event for its own change. @param {ThemeStore} store @param {string} theme */
export async function chooseTheme(store, theme) {
  document.documentElement.dataset.theme = theme;
  await store.save(theme);
}
