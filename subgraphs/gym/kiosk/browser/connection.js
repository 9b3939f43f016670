// Requests to the gym service with the token of the machine client.

const RENEW_BEFORE_MILLIS = 60_000; // 1 min before the token expires
const TIMEOUT_MILLIS = 10_000; // 10 s

/** Answers that say that the service, or another one that it needs, cannot answer now. */
const RETRIED = new Set([408, 429, 502, 503, 504, 507]);

const identity = document.querySelector('meta[name="identity"]').content;
/** The path before the gym service's routes: empty on its own port, `/gym` at the gateway. */
const gym = location.pathname.replace(/\/kiosk\/?$/, '');

/** No answer, or an answer after which the same request can be sent again. */
export class Unreachable extends Error {}
/** The client's id or secret is wrong, or the client was deleted. */
export class NotConnected extends Error {}

/** The address of a member's picture, whose path at the gateway is `/identity/avatars/...`. */
export const pictureUrl = (path) => path.replace(/^\/identity/, identity);

export function connectionOf({ clientId, secret }) {
  let token;
  let expiresAt = 0;
  let renewal;

  const freshToken = async () => {
    if (Date.now() < expiresAt - RENEW_BEFORE_MILLIS) return token;
    await (renewal ??= renew().finally(() => (renewal = undefined)));
    return token;
  };
  async function renew() {
    const { status, body } = await send(`${identity}/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret }),
    });
    if (status !== 200) throw new NotConnected(body?.detail ?? 'The client was refused.');
    token = body.access_token;
    expiresAt = Date.now() + body.expires_in * 1_000;
  }

  /** Resolves with the status and the body. @throws Unreachable, NotConnected */
  async function call(method, path, { body, key } = {}, isRepeated = false) {
    const answer = await send(gym + path, {
      method,
      headers: {
        Authorization: `Bearer ${await freshToken()}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(key && { 'Idempotency-Key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status !== 401) return answer;
    expiresAt = 0; // the token was refused before it expired
    if (isRepeated) throw new NotConnected(answer.body?.detail ?? 'The token was refused.');
    return call(method, path, { body, key }, true);
  }
  return { call };
}

async function send(url, options) {
  let response;
  try {
    response = await fetch(url, {
      ...options,
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
    });
  } catch {
    throw new Unreachable();
  }
  const { status } = response;
  if (RETRIED.has(status)) throw new Unreachable();
  try {
    return { status, body: status === 204 ? undefined : await response.json() };
  } catch {
    throw new Unreachable(); // the connection broke in the middle, or something else has answered
  }
}
