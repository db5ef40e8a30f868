// Every function that Python calls by name (World.call). Entry point of the second script: see injected_script.py.
//
// Python passes these names as strings: rename them together with their callers.

import { cancelWaits } from './actions/cancellation.js';
import { hoverPoint, mouseArrived, pointThroughFrame } from './actions/actionability.js';
import { blockPresses, clickResult, dragProgress, endDrag, prepareClick, prepareDrag, unblockPresses } from './actions/click_guard.js';
import { keysResult, writeResult, writeText } from './actions/fields.js';
import { fileInput, fileInputFacts } from './actions/file_input.js';
import { fillFields, submitForm } from './actions/fill_form.js';
import { blockKeys, focusTarget, guardFocused, guardNextKey, guardTarget, takesText, unblockKeys } from './actions/key_guard.js';
import { findListOption, focusListInput, listShows, scrollListTo } from './actions/listbox.js';
import { elementAtPoint } from './actions/point_target.js';
import { scrollResult, scrollTarget } from './actions/scroll.js';
import { selectOptions } from './actions/select_options.js';
import { actionableElements, resolveSelector } from './actions/selector_engine.js';
import { accessStorage } from './actions/storage.js';
import { targetFacts } from './actions/target_facts.js';
import { cancelWait, waitForCondition } from './actions/wait_for.js';
import { adoptFrame, noteListeners, openRoot, takeNewRoots, takeSuspectedHosts } from './cdp_facts.js';
import { isPdfViewer } from './dom.js';
import { hideValues } from './filled_secrets.js';
import { findDownloadable } from './downloads/downloadable.js';
import { closeFile, collectBlob, openFile, readFile, saveByLink } from './downloads/file_stream.js';
import { libraries } from './libraries.js';
import { waitAtRest } from './mutation_watch.js';
import { documentToken, elementOf } from './refs.js';
import { readContent, readLinks } from './snapshot/content.js';
import { domTree } from './snapshot/dom_tree.js';
import { removeLabels, showLabels, toParentPoint, viewportBox } from './snapshot/screenshot.js';
import { maskSecrets, unmaskSecrets } from './snapshot/secret_mask.js';
import { extractRows, isPagerEnd } from './snapshot/extraction.js';
import { extractParts } from './snapshot/selection.js';
import { snapshot } from './snapshot/snapshot.js';

/** @type {Record<string, any>} */
export const api = {
  // The document and its frames.
  libraries,
  documentToken: () => documentToken,
  documentNode: () => document,
  adoptFrame,
  elementOf,
  isPdfViewer,
  /** Never resolves: for tests of calls that are cancelled or interrupted. */
  never: () => new Promise(() => {}),

  // Listeners and closed shadow roots.
  noteListeners,
  openRoot,
  takeSuspectedHosts,
  takeNewRoots,

  // Reading the page.
  snapshot,
  domTree,
  readContent,
  readLinks,
  extractParts,
  extractRows,
  isPagerEnd,
  viewportBox,
  toParentPoint,
  showLabels,
  removeLabels,
  maskSecrets,
  unmaskSecrets,
  hideValues,

  // Selectors and targets.
  resolveSelector,
  elementAtPoint,
  actionableElements,
  targetFacts,

  // Mouse.
  prepareClick,
  clickResult,
  hoverPoint,
  mouseArrived,
  pointThroughFrame,
  blockPresses,
  unblockPresses,
  prepareDrag,
  dragProgress,
  endDrag,
  scrollTarget,
  scrollResult,
  cancelWaits,

  // Keys and fields.
  focusTarget,
  guardTarget,
  guardFocused,
  blockKeys,
  unblockKeys,
  guardNextKey,
  takesText,
  writeText,
  writeResult,
  keysResult,
  selectOptions,
  findListOption,
  scrollListTo,
  focusListInput,
  listShows,
  fillFields,
  submitForm,
  fileInput,
  fileInputFacts,

  // Waiting and storage.
  waitAtRest,
  waitForCondition,
  cancelWait,
  accessStorage,

  // Downloads.
  findDownloadable,
  openFile,
  readFile,
  collectBlob,
  closeFile,
  saveByLink,
};
