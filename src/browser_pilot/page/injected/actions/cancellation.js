// Cancels the waits that run in this frame, when their call was cancelled in Python.

let cancellations = 0;

export function cancelWaits() {
  return cancellations++;
}

/** For one wait: a function that returns whether it was cancelled. */
export function cancellation() {
  const started = cancellations;
  return () => cancellations !== started;
}
