/**
 * Calls `listener` at SIGHUP, with which operators make a server read its configuration again. Not at a terminal, where
 * SIGHUP means that the terminal was closed, and ends the process. Returns a function that removes the listener.
 */
export function onReloadSignal(listener: () => void): () => void {
  if (process.stdin.isTTY) return () => undefined;
  process.on('SIGHUP', listener);
  return () => void process.off('SIGHUP', listener);
}
