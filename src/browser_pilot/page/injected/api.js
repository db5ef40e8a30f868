// Every function that Python calls by name (World.call). Entry point of the second script: see injected_script.py.
//
// The names on the left are the interface; rename them together with their callers.

import { cancelWaits } from './actions/cancellation.js';
import { hoverPoint, mouseArrived, pointThroughFrame } from './actions/actionability.js';
import { blockPresses, clickResult, dragResult, prepareClick, unblockPresses, watchDrag } from './actions/click_guard.js';
import { writeResult, writeText } from './actions/fields.js';
import { fileInput, fileInputFacts } from './actions/file_input.js';
import { fillFields, submitForm } from './actions/fill_form.js';
import { focusTarget, guardFocused, guardTarget } from './actions/key_guard.js';
import { scrollResult, scrollTarget } from './actions/scroll.js';
import { selectOptions } from './actions/select_options.js';
import { actionableElements, resolveSelector } from './actions/selector_engine.js';
import { accessStorage } from './actions/storage.js';
import { targetFacts } from './actions/target_facts.js';
import { cancelWait, waitForCondition } from './actions/wait_for.js';
import { adoptFrame, noteListeners, openRoot, takeNewRoots, takeSuspectedHosts } from './cdp_facts.js';
import { isPdfViewer } from './dom.js';
import { findDownloadable } from './downloads/downloadable.js';
import { closeFile, holdFile, openFile, readFile, saveByLink } from './downloads/file_stream.js';
import { libraries } from './libraries.js';
import { documentToken, elementOf } from './refs.js';
import { readContent, readLinks } from './snapshot/content.js';
import { domTree } from './snapshot/dom_tree.js';
import { outward, removeLabels, showLabels, viewportBox } from './snapshot/screenshot.js';
import { snapshot } from './snapshot/snapshot.js';

/** @type {Record<string, any>} */
export const api = {
  // The document and its frames.
  libraries,
  documentToken: () => documentToken,
  documentNode: () => document,
  adoptFrame,
  elementOf,
  isViewer: isPdfViewer,
  /** Never resolves: for tests of calls that the page abandons. */
  never: () => new Promise(() => {}),

  // Listeners and closed shadow roots.
  noteListeners,
  openRoot,
  suspectList: takeSuspectedHosts,
  unheardRoots: takeNewRoots,

  // What an agent sees.
  snapshot,
  tree: domTree,
  content: readContent,
  links: readLinks,
  boxOf: viewportBox,
  outward,
  label: showLabels,
  unlabel: removeLabels,

  // Selectors and targets.
  locate: resolveSelector,
  actionables: actionableElements,
  facts: targetFacts,

  // Mouse.
  aim: prepareClick,
  landed: clickResult,
  point: hoverPoint,
  felt: mouseArrived,
  through: pointThroughFrame,
  bar: blockPresses,
  unbar: unblockPresses,
  watchDrag,
  dragBegan: dragResult,
  scroll: scrollTarget,
  scrolled: scrollResult,
  abandon: cancelWaits,

  // Keys and fields.
  focus: focusTarget,
  still: guardTarget,
  stillFocused: guardFocused,
  write: writeText,
  wrote: writeResult,
  choose: selectOptions,
  fill: fillFields,
  submit: submitForm,
  fileField: fileInput,
  fileFacts: fileInputFacts,

  // Waiting and storage.
  waitUntil: waitForCondition,
  stopWaiting: cancelWait,
  storage: accessStorage,

  // Downloads.
  resourceOf: findDownloadable,
  openFile,
  readFile,
  holdFile,
  closeFile,
  saveHeld: saveByLink,
};
