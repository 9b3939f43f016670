import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { FrameRate } from '../../subgraphs/squad/socket/frame-rate.ts';

const PER_SECOND = 2;

let millis = 1_000_000;
beforeEach(() => void jest.spyOn(Date, 'now').mockImplementation(() => millis));
afterEach(() => void jest.restoreAllMocks());

/** Sends `count` frames at once, `pauseMillis` after the previous ones. */
function send(rate: FrameRate, count: number, pauseMillis: number, bytes = 100): string[] {
  millis += pauseMillis;
  return Array.from({ length: count }, () => rate.count(bytes));
}

it('refuses frames above the rate, and closes in the fifth such second in a row', () => {
  const rate = new FrameRate(PER_SECOND);
  for (let second = 1; second <= 4; second += 1)
    expect(send(rate, 4, 1_000)).toEqual(['accept', 'accept', 'refuse', 'refuse']);
  expect(send(rate, 3, 1_000)).toEqual(['accept', 'accept', 'close']);
});

it('allows one answer a second to refused frames without an id', () => {
  const rate = new FrameRate(PER_SECOND);
  for (let second = 1; second <= 3; second += 1) {
    send(rate, 4, 1_000);
    expect([rate.allowsErrorWithoutId(), rate.allowsErrorWithoutId()]).toEqual([true, false]);
  }
});

it.each([
  ['without any frame', (rate: FrameRate) => send(rate, 0, 1_000)],
  ['without a refused frame', (rate: FrameRate) => send(rate, PER_SECOND, 1_000)],
])('a second %s ends the row of seconds with refused frames', (_how, quietSecond) => {
  const rate = new FrameRate(PER_SECOND);
  for (let burst = 0; burst < 20; burst += 1) {
    expect(send(rate, 3, 1_000)).toEqual(['accept', 'accept', 'refuse']);
    quietSecond(rate);
  }
});

it('closes at once if far too many frames come within a second', () => {
  expect(send(new FrameRate(PER_SECOND), 400, 1_000)).toContain('close');
});

it('closes at once if the refused frames of a second are too large together', () => {
  const actions = send(new FrameRate(PER_SECOND), 20, 1_000, 64 * 1024);
  expect(actions.slice(0, 18)).toEqual(['accept', 'accept', ...Array.from({ length: 16 }, () => 'refuse')]);
  expect(actions[18]).toBe('close');
});
