// Cancels the waits that run in this frame, when Python gives up on their call.

let cancellations = 0;

export function cancelWaits() {
  return cancellations++;
}

/** For one wait: a function that says whether it was cancelled. */
export function cancellation() {
  const started = cancellations;
  return () => cancellations !== started;
}
