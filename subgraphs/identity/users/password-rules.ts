/** What is wrong with a password for the account of that email; undefined where nothing is. Its length is checked by its shape. */
export function passwordProblem(password: string, email: string): string | undefined {
  const given = password.toLowerCase();
  const login = email.toLowerCase();
  const name = login.slice(0, login.lastIndexOf('@'));
  if (login.includes(given)) return 'expected something else than the email or a part of it';
  // What is left beside the log-in must be something to guess by itself.
  if (name.length >= 3 && given.includes(name) && given.replaceAll(login, '').replaceAll(name, '').length < 6)
    return 'expected something less like the email';
  return undefined;
}
