// Scans are stored first and then sent, one after the other in their order. A scan stays stored until the service has
// answered it, also while the network is gone and over a restart. Its key makes the service answer a repeated request like
// the first one, so that a scan whose answer was lost has no second effect.

import { Unreachable } from './connection.js';
import { scans } from './store.js';

const RETRY_MILLIS = [1_000, 2_000, 5_000, 10_000]; // the last one is repeated

/**
 * @param send sends one scan and resolves with the answer; @throws Unreachable to try the scan again later
 * @param maxAgeMillis an older scan is dropped, because its visit would already be over
 * @param onAnswer called with the scan and its answer, or only with the scan if it was dropped
 * @param onState called with the number of waiting scans, and whether the service can be reached
 * @param onFailure called with any other error of `send`; the scans stay stored until `drain` is called again
 */
export function queueOf({ send, maxAgeMillis, onAnswer, onState, onFailure }) {
  let running;
  let isStopped = false;
  let failures = 0;
  let timer;

  const drain = () => {
    clearTimeout(timer);
    return (running ??= sendAll().finally(() => (running = undefined)));
  };

  async function sendAll() {
    let hasSent = false;
    for (;;) {
      const scan = await scans.first();
      if (!scan || isStopped) break;
      let answer;
      try {
        if (Date.now() - scan.at <= maxAgeMillis) answer = await send(scan);
        hasSent ||= answer !== undefined;
      } catch (error) {
        if (!isStopped) await failed(error);
        return;
      }
      failures = 0;
      await scans.remove(scan.number);
      onAnswer(scan, answer);
    }
    if (hasSent && !isStopped) onState({ waiting: 0, isReachable: true });
  }

  async function failed(error) {
    if (!(error instanceof Unreachable)) return onFailure(error);
    timer = setTimeout(drain, RETRY_MILLIS[Math.min(failures, RETRY_MILLIS.length - 1)]);
    failures += 1;
    onState({ waiting: await scans.count(), isReachable: false });
  }

  const onOnline = () => {
    failures = 0;
    void drain();
  };
  addEventListener('online', onOnline);

  return {
    drain,
    async add(scan) {
      await scans.add({ ...scan, at: Date.now(), key: newKey() });
      // A `drain` that was already running may have found no scan before this one was added. A second `drain` sends it.
      const before = running;
      await drain();
      if (before && failures === 0) await drain();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      removeEventListener('online', onOnline);
      await running;
    },
  };
}

/** A random UUID. `crypto.randomUUID` does not exist on pages without TLS. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
