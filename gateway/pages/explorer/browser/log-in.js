// The account part of the bar: the logged-in user, the demo accounts, the form.
const $ = (id) => document.getElementById(id);

/** @param settings `{ demoAccounts, demoPassword? }` */
export function showLogIn(session, { demoAccounts, demoPassword }) {
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
  session.onChange((change) => {
    const { user } = session;
    $('who').textContent = user ? `${user.displayName} · ${user.role}` : 'Not logged in';
    $('open-log-in').textContent = user ? 'Switch account' : 'Log in';
    $('log-out').hidden = !user;
    notify(change === 'end' ? 'Your session has ended; log in again.' : '');
  });
  $('account').hidden = false;
}

/** Shows a line below the bar until the next call. */
export function notify(text) {
  $('notice').textContent = text;
  $('notice').hidden = text === '';
}

function setBusy(busy) {
  for (const button of $('log-in').querySelectorAll('button')) button.disabled = busy;
}
