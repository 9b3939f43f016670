// The session of the logged-in user. The tokens are only in the memory of this module, so after a reload of the page the user
// has to log in again.

const RENEW_BEFORE_MILLIS = 60_000; // 1 min before the token expires
const RETRY_MILLIS = 5_000; // 5 s, while the gateway does not answer

const AUTH_FIELDS = '{ token expiresIn refreshToken user { displayName role } }';
const LOG_IN = `mutation LogIn($input: LoginInput!) { login(input: $input) ${AUTH_FIELDS} }`;
const RENEW = `mutation Renew($input: RefreshTokenInput!) { refreshToken(input: $input) ${AUTH_FIELDS} }`;
const LOG_OUT = 'mutation LogOut($input: LogoutInput) { logout(input: $input) }';

/** @param {string} graphUrl */
export function createSession(graphUrl) {
  const listeners = new Set();
  let current;
  let timer;
  let renewal;

  const become = (next, change) => {
    clearTimeout(timer);
    current = next;
    if (next) timer = setTimeout(renew, Math.max(next.expiresAt - Date.now() - RENEW_BEFORE_MILLIS, 1_000));
    for (const listener of listeners) listener(change);
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
      const data = await ask(graphUrl, RENEW, { input: { refreshToken: before.refreshToken } });
      if (current === before) become(opened(data.refreshToken), 'renewal');
    } catch (error) {
      if (current !== before) return;
      if (error.code === 'UNAUTHENTICATED') become(undefined, 'end');
      else timer = setTimeout(renew, RETRY_MILLIS);
    }
  }

  // If the log-out fails, the error is ignored: this page has dropped the tokens already, and they expire by themselves.
  const end = async (session) => {
    if (!session) return;
    const headers = { Authorization: `Bearer ${session.token}` };
    await ask(graphUrl, LOG_OUT, { input: { refreshToken: session.refreshToken } }, headers).catch(
      () => undefined,
    );
  };

  return {
    get user() {
      return current?.user;
    },
    authorization: () => (current ? `Bearer ${current.token}` : ''),
    /** Calls `listener` after every change: `log-in`, `renewal`, `log-out`, or `end` if the gateway ended the session. */
    onChange: (listener) => listeners.add(listener),

    async logIn(email, password) {
      const data = await ask(graphUrl, LOG_IN, { input: { email, password } });
      const before = current;
      become(opened(data.login), 'log-in');
      await end(before);
    },

    async logOut() {
      const before = current;
      become(undefined, 'log-out');
      await end(before);
    },

    /** The current Authorization, renewed first if it is about to expire: timers do not run while the machine sleeps. */
    async freshAuthorization() {
      if (current && current.expiresAt - Date.now() < RENEW_BEFORE_MILLIS / 2) await renew();
      return current ? `Bearer ${current.token}` : '';
    },
  };
}

async function ask(url, query, variables, headers = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  }).catch(() => undefined);
  if (!answer) throw new Error('The gateway does not answer; try again in a moment.');
  const body = await answer.json().catch(() => undefined);
  const [error] = body?.errors ?? [];
  if (!body?.data || error)
    throw Object.assign(new Error(error?.message ?? `The gateway answered ${answer.status}.`), {
      code: error?.extensions?.code,
    });
  return body.data;
}
