/** What agents did, with its filter: `#activity`, `#filter`, `#filter-status`. The same in the side panel and on the dashboard. */

import { showActivity, STATUSES } from './activity_list.js';
import { make, part, say, show } from './parts.js';
import { text } from './texts.js';

export class ActivitySection {
  /** @param {import('./questions_section.js').Ask} ask */
  constructor(ask) {
    this.ask = ask;
    this.filter = part('filter', HTMLInputElement);
    this.status = part('filter-status', HTMLSelectElement);
    /** The last row of the log that is shown. @type {number | null} */
    this.seen = null;
    this.status.append(
      make('option', { value: '' }, text('statusAll')),
      ...STATUSES.map((one) => make('option', { value: one }, text(`status${one[0]?.toUpperCase()}${one.slice(1)}`))));
    this.filter.addEventListener('input', () => this.searchAnew());
    this.status.addEventListener('change', () => this.searchAnew());
  }

  searchAnew() {
    this.seen = null;
    void this.render();
  }

  async render() {
    const wanted = { text: this.filter.value.trim(), status: this.status.value };
    const found = await this.ask('activity', { seen: this.seen, ...wanted }).catch(() => null);
    if (!found) return;
    this.seen = found.last;
    if (!found.actions) return;
    showActivity(part('activity', HTMLElement), found.actions);
    show('activity-none', found.actions.length === 0);
    say('activity-none', text(wanted.text || wanted.status ? 'activityNoMatch' : 'activityNone'));
  }
}
