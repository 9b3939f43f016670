// The session of the logged-in user. The tokens are only in the memory of this module, so after a reload of the page the user
// has to log in again.

const RENEW_BEFORE_MILLIS = 60_000; // 1 min before the token expires

/** @param {string} identity the URL of the identity service */
export function createSession(identity) {
  const listeners = new Set();
  let current;
  let renewal;

  const become = (next) => {
    current = next;
    for (const listener of listeners) listener();
  };
  const opened = ({ token, expiresIn, refreshToken, user }) => ({
    token,
    refreshToken,
    user,
    expiresAt: Date.now() + expiresIn * 1_000,
  });

  // Only one request for new tokens runs at a time, because a refresh token that is used twice ends the session.
  const renew = () => (renewal ??= renewOnce().finally(() => (renewal = undefined)));
  async function renewOnce() {
    const before = current;
    if (!before) return;
    try {
      const tokens = await post(`${identity}/auth/refresh`, { refreshToken: before.refreshToken });
      if (current === before) become(opened(tokens));
    } catch (error) {
      if (current === before && error.status === 401) become(undefined);
    }
  }
  // If the log-out fails, the error is ignored: this page has dropped the tokens already, and they expire by themselves.
  const end = async (session) => {
    if (session)
      await post(`${identity}/auth/logout`, { refreshToken: session.refreshToken }).catch(() => undefined);
  };

  return {
    get user() {
      return current?.user;
    },
    onChange: (listener) => listeners.add(listener),
    async logIn(email, password) {
      const before = current;
      become(opened(await post(`${identity}/auth/login`, { email, password })));
      await end(before);
    },
    async logOut() {
      const before = current;
      become(undefined);
      await end(before);
    },
    /** The current Authorization, renewed first if it is about to expire; empty if nobody is logged in. */
    async freshAuthorization() {
      if (current && current.expiresAt - Date.now() < RENEW_BEFORE_MILLIS) await renew();
      return current ? `Bearer ${current.token}` : '';
    },
  };
}

async function post(url, body) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  if (!answer) throw new Error('The identity service does not answer; try again in a moment.');
  const result = await answer.json().catch(() => undefined);
  if (!answer.ok)
    throw Object.assign(new Error(result?.detail ?? `The identity service answered ${answer.status}.`), {
      status: answer.status,
    });
  return result;
}
