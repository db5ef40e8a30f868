// Waiting for the browser's own steps: animation frames and tasks.

export const MAX_FRAMES = 10;
export const FRAME_TIMEOUT_MS = 100;

/** The next animation frame; a little later in a tab that draws none. @returns {Promise<void>} */
export function nextFrame() {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, FRAME_TIMEOUT_MS);
    requestAnimationFrame(() => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** After every task that is queued now. @returns {Promise<void>} */
export function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** The time that a dispatched input event may take to arrive; some never do. */
export async function severalFrames() {
  for (let frames = 0; frames < MAX_FRAMES; frames++) await nextFrame();
}
