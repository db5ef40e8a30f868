/** What agents did, with a filter: `#activity`, `#filter`, `#filter-status`. The same in the side panel and on the dashboard. */

import { renderActivity, STATUSES } from './activity_list.js';
import { byId, createElement, setText, setVisible } from './dom.js';
import { getMessage } from './i18n.js';

export class ActivitySection {
  /** @param {import('./approvals_section.js').HubRequest} request */
  constructor(request) {
    this.request = request;
    this.filter = byId('filter', HTMLInputElement);
    this.status = byId('filter-status', HTMLSelectElement);
    /** The last row of the audit log that is shown; the hub sends nothing when there is no newer one. @type {number | null} */
    this.last = null;
    this.status.append(
      createElement('option', { value: '' }, getMessage('statusAll')),
      ...STATUSES.map((status) => createElement('option', { value: status }, getMessage(`status${status[0]?.toUpperCase()}${status.slice(1)}`))));
    this.filter.addEventListener('input', () => this.search());
    this.status.addEventListener('change', () => this.search());
  }

  search() {
    this.last = null;
    void this.render();
  }

  async render() {
    const query = { text: this.filter.value.trim(), status: this.status.value };
    const found = await this.request('activity', { seen: this.last, ...query }).catch(() => null);
    if (!found) return;
    this.last = found.last;
    if (!found.actions) return;
    renderActivity(byId('activity', HTMLElement), found.actions);
    setVisible('activity-none', found.actions.length === 0);
    setText('activity-none', getMessage(query.text || query.status ? 'activityNoMatch' : 'activityNone'));
  }
}
