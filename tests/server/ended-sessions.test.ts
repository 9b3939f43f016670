import { expect, it } from '@jest/globals';
import {
  CHECK_SESSIONS_MILLIS,
  READ_ENDED_SESSIONS_MILLIS,
  SESSION_END_MILLIS,
} from '#server/auth/ended-sessions.ts';

it('a session that identity has ended gets no events after 5 s, half a second for the request included', () => {
  expect(SESSION_END_MILLIS).toBe(5_000);
  expect(READ_ENDED_SESSIONS_MILLIS + CHECK_SESSIONS_MILLIS + 500).toBeLessThanOrEqual(SESSION_END_MILLIS);
});
