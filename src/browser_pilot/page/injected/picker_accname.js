// Roles and accessible names for the extension's element picker: the entry point of `extension/content/accname.js`, which
// injected_script.py generates.
//
// No state is visible: each call reads the page as it is now.

import { startReading } from './dom.js';
import { accessibleName } from './snapshot/accname.js';
import { roleOf } from './snapshot/roles.js';

export const accname = {
  roleOf,
  /** @param {Element} element @param {string} [role] */
  nameOf(element, role = roleOf(element)) {
    startReading();
    return accessibleName(element, role);
  },
};
