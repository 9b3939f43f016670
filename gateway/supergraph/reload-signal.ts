/**
 * Calls `listener` at SIGHUP, by which operators have a server read its configuration anew; not at a terminal, where it
 * says that the terminal was closed, and ends the process as ever. Returns what ends it.
 */
export function onReloadSignal(listener: () => void): () => void {
  if (process.stdin.isTTY) return () => undefined;
  process.on('SIGHUP', listener);
  return () => void process.off('SIGHUP', listener);
}
