/**
 * The status of the hub and its agents, the same in the side panel and on the dashboard: `#state`, `#agents-line`, the buttons
 * `#pause` and `#stop`, `#note` and `#problem`.
 */

import { byId, onClick, setText, setVisible } from './dom.js';

/** @typedef {{ state: string, kind: string, agents: string, pause: string, canResume: boolean, canStop: boolean, note: string, problem: string }} StatusView */

export class StatusHeader {
  /** @param {(command: 'pause' | 'resume' | 'stop') => unknown} send runs a command of the user */
  constructor(send) {
    this.canResume = false;
    onClick('pause', () => send(this.canResume ? 'resume' : 'pause'));
    onClick('stop', () => send('stop'));
  }

  /** @param {StatusView} view */
  render(view) {
    this.canResume = view.canResume;
    showState(view);
    setText('agents-line', view.agents);
    setVisible('pause', view.pause !== '');
    setText('pause', view.pause);
    setVisible('stop', view.canStop);
    setVisible('note', view.note !== '');
    setText('note', view.note);
    setVisible('problem', view.problem !== '');
    setText('problem-text', view.problem);
  }
}

/** @param {{ state: string, kind: string }} view */
export function showState({ state, kind }) {
  setText('state', state);
  byId('state', HTMLElement).dataset.kind = kind;
}
