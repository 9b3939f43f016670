// Refreshes the states of the services while the page is visible.
import { showHealth } from './system-health.js';

const EVERY_MILLIS = 5_000; // 5 s
const TIMEOUT_MILLIS = 4_000; // 4 s

const marks = [...document.querySelectorAll('[data-health]')];
const summary = document.getElementById('summary');

for (;;) {
  if (!document.hidden) await refresh();
  await Promise.race([
    new Promise((resolve) => setTimeout(resolve, EVERY_MILLIS)),
    new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true })),
  ]);
}

async function refresh() {
  const states = await Promise.all(marks.map(check));
  const down = marks.filter((_mark, index) => !states[index]).map((mark) => mark.dataset.name);
  const text = down.length === 0 ? 'Everything answers.' : `Not ready: ${down.join(', ')}.`;
  // Set only if it changes, because a screen reader reads out every change.
  if (summary.textContent !== text) summary.textContent = text;
}

async function check(mark) {
  const startedAt = performance.now();
  const answer = await fetch(mark.dataset.health, {
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MILLIS),
  }).catch(() => undefined);
  const isUp = answer?.ok === true;
  mark.dataset.state = isUp ? 'up' : 'down';
  showHealth(mark.dataset.name, isUp);
  mark.textContent = isUp ? `up, ${Math.round(performance.now() - startedAt)} ms` : 'down';
  return isUp;
}
