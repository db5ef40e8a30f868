/** The pages without a dashboard: signed out, expired, opened from another origin; and after a sign-in, which leads to the dashboard. */

import { dashboardTheme, followTheme } from '../../../extension/lib/theme.js';
import { saveKey } from './hub_client.js';
import { loadMessages } from './i18n.js';

const { key } = document.body.dataset;
void followTheme(dashboardTheme);
if (key) {
  saveKey(key);
  location.replace('/');
} else await loadMessages();
