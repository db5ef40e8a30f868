/** Light, dark, or as the system: what the user chose, in every page of the dashboard. */

const KEY = 'browser-pilot-theme';

/** The look that was chosen, now and whenever another page changes it. @param {(theme: string) => void} [changed] */
export function followTheme(changed = () => {}) {
  const apply = () => {
    const theme = localStorage.getItem(KEY) ?? 'system';
    document.documentElement.dataset.theme = theme;
    changed(theme);
  };
  window.addEventListener('storage', (event) => {
    if (event.key === KEY) apply();
  });
  apply();
}

/** @param {string} theme */
export function chooseTheme(theme) {
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset.theme = theme;
}
