/**
 * Loaded into Playwright's driver (Node) before its own code, by `--import`: puts a `PipeFilter` into the CDP pipe of
 * every Chromium that the driver launches, and keeps the driver alive when a handler of an event fails. Uses only Node's
 * public API, nothing of Playwright.
 */

import childProcess from 'node:child_process';

import { WINDOW_MS } from '../../extension/lib/event_limits.mjs';
import { PipeFilter } from './pipe_filter.mjs';

const CDP_PIPE_SWITCH = '--remote-debugging-pipe';
const WRITE_FD = 3;
const READ_FD = 4;
/** A page must not fill the hub's log. */
const MAX_REPORTED_FAILURES = 20;
const spawn = childProcess.spawn;

let failures = 0;

// Playwright runs its handlers of CDP events in promises that nobody awaits. Some fail when a page crashes while its
// frames move between processes ("Frame has been detached."), and Node would end the driver, with the browsers of all.
process.on('unhandledRejection', (reason) => {
  failures += 1;
  if (failures <= MAX_REPORTED_FAILURES) {
    console.error(`Playwright's driver goes on after an error: ${reason instanceof Error ? reason.stack : reason}`);
  }
});

childProcess.spawn = (command, args, options) => {
  const child = spawn(command, args, options);
  const [output, input] = [child.stdio?.[WRITE_FD], child.stdio?.[READ_FD]];
  if (Array.isArray(args) && args.includes(CDP_PIPE_SWITCH) && output && input) {
    filterPipe(output, input);
  }
  return child;
};

/**
 * @param {import("node:child_process").Pipe} output
 * @param {import("node:child_process").Pipe} input
 */
function filterPipe(output, input) {
  const emit = input.emit.bind(input);
  const filter = new PipeFilter(
    (chunk) => emit('data', chunk),
    (command) => output.write(`${command}\0`),
    () => performance.now(),
  );
  input.emit = (name, ...values) => {
    if (name !== 'data') {
      return emit(name, ...values);
    }
    filter.push(values[0]);
    return true;
  };
  const timer = setInterval(() => filter.endWindow(), WINDOW_MS);
  timer.unref();
  input.once('close', () => clearInterval(timer));
}
