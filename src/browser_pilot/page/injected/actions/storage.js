// The page's localStorage and sessionStorage.

/** @param {'local' | 'session'} kind @param {'get' | 'set' | 'delete' | 'clear'} action @param {string | null} key @param {string | null} value */
export function accessStorage(kind, action, key, value) {
  /** @type {Storage} */
  let store;
  try {
    store = kind === 'local' ? localStorage : sessionStorage;
    if (action === 'clear') store.clear();
    else if (action === 'delete') store.removeItem(String(key));
    else if (action === 'set') store.setItem(String(key), String(value));
  } catch (error) {
    return { refused: /** @type {Error} */ (error).message };
  }
  const names = key === null ? Object.keys(store) : [key];
  return { items: names.flatMap((name) => (store.getItem(name) === null ? [] : [[name, store.getItem(name)]])) };
}
