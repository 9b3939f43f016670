import { dictionary } from '@zxcvbn-ts/language-common';

/** About 50,000 passwords that are common in leaks; attackers try them first (NIST SP 800-63B, 5.1.1.2). */
const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/**
 * What was expected of the password of the account with that email; undefined if the password is acceptable. Its length is
 * checked by the shape `newPassword`.
 */
export function passwordProblem(password: string, email: string): string | undefined {
  const given = password.toLowerCase();
  const login = email.toLowerCase();
  const name = login.slice(0, login.lastIndexOf('@'));
  if (COMMON.has(given)) return 'expected a password that is not among the most common ones';
  if (login.includes(given)) return 'expected a password that is not the email or a part of it';
  // Without the parts of the email, the password must still have at least 6 characters.
  if (name.length >= 3 && given.includes(name) && given.replaceAll(login, '').replaceAll(name, '').length < 6)
    return 'expected at least 6 characters besides those of the email';
  return undefined;
}
