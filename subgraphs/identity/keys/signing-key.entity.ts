import { defineEntity, p } from '@mikro-orm/core';

/** A key pair that signs access tokens, shared by all replicas. */
const SigningKeySchema = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    /** SHA-256 of the public key (DER) in base64url: 43 characters. */
    kid: p.string().length(43).primary(),
    /** PKCS #8, PEM. */
    privateKey: p.text().hidden(),
    createdAt: p.datetime(),
    /** The key signs from this time on. It is published earlier, so that every service has it before the first token. */
    signsFrom: p.datetime(),
    /** Set when the next key is created: this key stays published until its last token has expired. */
    publishedUntil: p.datetime().nullable(),
  },
});

export class SigningKey extends SigningKeySchema.class {}
SigningKeySchema.setClass(SigningKey);
