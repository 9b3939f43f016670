import { ofErasedAccount } from '../accounts/erased-accounts.ts';
import { invalid, type PlatformError } from '../errors.ts';

/** What the database refuses for a caller's fault, in our words; undefined for anything else that was thrown. */
export function refusalOfDatabase(thrown: unknown): PlatformError | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return isUnstorable(thrown)
    ? invalid('', 'the text holds a NUL character, or half of a character, which cannot be stored')
    : ofErasedAccount(thrown);
}

/** PostgreSQL's text takes any character but NUL (Character Types, 8.3); it says so in three ways. */
function isUnstorable({ code, message }: Error & { code?: unknown }): boolean {
  if (code === '22021' || code === '22P05') return true; // character_not_in_repertoire, untranslatable_character
  // Of a parameter that ends early by its NUL; the protocol itself is kept by the driver.
  return code === '08P01' && message.includes('invalid message format');
}
