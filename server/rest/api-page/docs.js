// The page of the API reference: Scalar with the platform's log-in.
import { createSession } from './session.js';

const $ = (id) => document.getElementById(id);
const { identity, demoAccounts, demoPassword } = JSON.parse($('settings').textContent);
const session = createSession(identity);

showLogIn();
mendScalar($('reference'));
window.Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  customFetch: withToken,
  // Nothing is loaded from or sent to other hosts.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  theme: 'none',
  documentDownloadType: 'direct',
  hiddenClients: true, // the document has its own code samples
  showOperationId: true,
  hideModels: true,
  defaultOpenFirstTag: true,
  metaData: { title: document.title },
});

/** Sends a request with the token of the logged-in user, unless the reader has written another `Authorization`. */
async function withToken(input, init) {
  const request = new Request(input, init);
  const isOwn = new URL(request.url).origin === location.origin;
  const authorization = isOwn ? await session.freshAuthorization() : '';
  if (authorization && !request.headers.get('authorization')?.replace(/^Bearer\s*$/, ''))
    request.headers.set('Authorization', authorization);
  return fetch(request);
}

function showLogIn() {
  const logIn = async (email, password) => {
    $('log-in-error').textContent = '';
    setBusy(true);
    try {
      await session.logIn(email, password);
      $('log-in-form').reset();
      $('log-in').hidePopover();
    } catch (error) {
      $('log-in-error').textContent = error.message;
    } finally {
      setBusy(false);
    }
  };
  for (const { email, displayName, role } of demoAccounts) {
    const button = Object.assign(document.createElement('button'), { type: 'button' });
    const description = document.createElement('small');
    description.textContent = `${email} · ${role}`;
    button.append(displayName, description);
    button.addEventListener('click', () => logIn(email, demoPassword));
    const item = document.createElement('li');
    item.append(button);
    $('demo-accounts').append(item);
  }
  $('demo-accounts').hidden = demoAccounts.length === 0;
  $('log-in-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void logIn($('email').value, $('password').value);
  });
  $('log-out').addEventListener('click', () => session.logOut());
  session.onChange(() => {
    const { user } = session;
    $('who').textContent = user ? `${user.displayName} · ${user.role}` : 'Not logged in';
    $('open-log-in').textContent = user ? 'Switch account' : 'Log in';
    $('log-out').hidden = !user;
  });
}

function setBusy(busy) {
  for (const button of $('log-in').querySelectorAll('button')) button.disabled = busy;
}

/** Corrects what Scalar renders, so that the page can be used with a keyboard and a screen reader. */
function mendScalar(root) {
  const mend = () => {
    // The name of a button must contain its visible text.
    for (const button of root.querySelectorAll('.show-more[aria-label]'))
      button.removeAttribute('aria-label');
    for (const button of document.querySelectorAll('button:is([role="none"], [role="alert"])'))
      button.removeAttribute('role');
    for (const button of document.querySelectorAll('[class*="copy-button"]:not([aria-label])'))
      button.setAttribute('aria-label', 'Copy');
    for (const control of document.querySelectorAll('[aria-controls]'))
      if (!document.getElementById(control.getAttribute('aria-controls')))
        control.removeAttribute('aria-controls');
    for (const box of document.querySelectorAll('[role="combobox"]:not([aria-expanded])'))
      box.setAttribute('aria-expanded', 'false');
    for (const editor of document.querySelectorAll('.cm-content[role="textbox"]:not([aria-label])'))
      editor.setAttribute('aria-label', editor.isContentEditable ? 'Request body' : 'Response body');
    for (const region of document.querySelectorAll('[role="dialog"] section[aria-label^="Notifications"]'))
      region.setAttribute('aria-label', 'Notifications about the request');
    for (const list of root.querySelectorAll('.endpoints, pre'))
      if (list.scrollHeight > list.clientHeight || list.scrollWidth > list.clientWidth) list.tabIndex = 0;
    coverReference();
  };
  let isPlanned = false;
  new MutationObserver(() => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      mend();
    });
  }).observe(document.body, { childList: true, subtree: true });
}

/** While the dialog for a request is open, the text behind it cannot be reached. */
function coverReference() {
  const reference = document.querySelector('main.references-rendered');
  const dialog = [...document.querySelectorAll('main')].find(
    (main) => main !== reference && main.checkVisibility(),
  );
  if (reference) reference.inert = dialog !== undefined && !reference.contains(dialog);
}
