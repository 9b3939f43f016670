import { createPublicKey, sign, verify } from 'node:crypto';
import type { KeyRing } from '../keys/key-ring.ts';

/** How long a code works. */
const LIFETIME_MILLIS = 60_000; // 60 s

/** Distinguishes these codes from lasting ones, and is the version of their format. */
const PREFIX = 'FIT1.';

// The parts of a code, in bytes: the user's id, the time at which it expires, the beginning of the key's id, and the signature.
const USER = 16;
const EXPIRES = 6;
const KEY = 6;
const CONTENT = USER + EXPIRES + KEY;
const SIGNATURE = 64; // of ECDSA with P-256, r and s one after the other

/** A short-lived code whose signature has not been checked. */
export interface ClaimedCode {
  readonly userId: string;
  readonly expiresAt: Date;
  /** Whether identity has signed the code, at a time when this was the user's lasting code. */
  isSignedFor(lastingCode: string): boolean;
}

/** Signs codes with the keys of access tokens, so that every replica can check them and nothing has to be stored. */
export class ShortLivedCodes {
  private readonly keys: Pick<KeyRing, 'signing' | 'published'>;

  constructor(keys: Pick<KeyRing, 'signing' | 'published'>) {
    this.keys = keys;
  }

  /**
   * A code of the user that works for a minute.
   * @param lastingCode the user's lasting code; if it is rotated, this code is no longer valid, either
   * @param now in milliseconds since 1970
   */
  issue(userId: string, lastingCode: string, now = Date.now()): { code: string; expiresAt: Date } {
    const { kid, privateKey } = this.keys.signing();
    const expiresAt = new Date(now + LIFETIME_MILLIS);
    const content = Buffer.alloc(CONTENT);
    content.write(userId.replaceAll('-', ''), 'hex');
    content.writeUIntBE(expiresAt.getTime(), USER, EXPIRES);
    content.set(keyBytes(kid), USER + EXPIRES);
    const signature = sign('sha256', signedText(content, lastingCode), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return { code: PREFIX + Buffer.concat([content, signature]).toString('base64url'), expiresAt };
  }

  /** What a code claims; undefined if the text is no code of this kind. */
  read(code: string): ClaimedCode | undefined {
    if (!code.startsWith(PREFIX)) return undefined;
    const text = code.slice(PREFIX.length);
    const bytes = Buffer.from(text, 'base64url');
    // The decoder ignores characters that are not base64url, and unused bits of the last character. Such a text is no code.
    if (bytes.length !== CONTENT + SIGNATURE || bytes.toString('base64url') !== text) return undefined;
    const content = bytes.subarray(0, CONTENT);
    return {
      userId: uuidOf(content.toString('hex', 0, USER)),
      expiresAt: new Date(content.readUIntBE(USER, EXPIRES)),
      isSignedFor: (lastingCode) => {
        const kid = content.subarray(USER + EXPIRES);
        const key = this.keys.published().find((one) => keyBytes(one.kid).equals(kid));
        return (
          key !== undefined &&
          verify(
            'sha256',
            signedText(content, lastingCode),
            { key: createPublicKey(key.pem), dsaEncoding: 'ieee-p1363' },
            bytes.subarray(CONTENT),
          )
        );
      },
    };
  }
}

/** The groups of a UUID have 8, 4, 4, 4 and 12 digits. */
const uuidOf = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const keyBytes = (kid: string): Buffer => Buffer.from(kid, 'base64url').subarray(0, KEY);

/**
 * The text that is signed. Its first line distinguishes it from an access token, which the same key signs. The lasting code is
 * only in this text and not in the short-lived code, so nobody can read it there.
 */
const signedText = (content: Buffer, lastingCode: string): Buffer =>
  Buffer.concat([Buffer.from('check-in code\n'), content, Buffer.from(`\n${lastingCode}`)]);
