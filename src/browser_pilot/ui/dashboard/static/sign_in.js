/** The pages before the dashboard: signed out, too late, opened by somebody else, and the moment of coming in. */

import { keepKey } from './hub.js';
import { followTheme } from './theme.js';
import { speak } from './words.js';

const { key } = document.body.dataset;
followTheme();
if (key) {
  keepKey(key);
  location.replace('/');
} else await speak();
