import { createHash } from 'node:crypto';

/**
 * The keys and the channel of Redis in which a service notes its changes. Their names contain a digest of the forwarding
 * proof, which the gateway and the service know, so that several installations can use one Redis. The hash tag in braces keeps
 * the keys of a service in one slot of a Redis Cluster.
 */
export interface ChangeKeys {
  /** A hash: for each kind a random token, which is replaced with every change. */
  readonly tokens: string;
  /** Exists while some replica of the service notes all changes. */
  readonly followed: string;
  /** Gets a message after each replacement of a token. */
  readonly channel: string;
}

export function changeKeysOf(forwardingProof: string): ChangeKeys {
  const tag = `{changes:${namespaceOf(forwardingProof)}}`;
  return { tokens: `${tag}:tokens`, followed: `${tag}:followed`, channel: `${tag}:channel` };
}

/** A name that only the servers of one installation know. */
export const namespaceOf = (secret: string): string =>
  createHash('sha256').update(`shared cache ${secret}`).digest('base64url').slice(0, 16);

/** A field of the hash of tokens. Its token is replaced with every change, whatever its kind. */
export const ANY_KIND = '*';

/** The kind of changes of data that belong to one user alone. Users share 256 such kinds, which bounds the number of tokens. */
export const ownKind = (kind: string, userId: string): string => `${kind}#${userId.slice(-2).toLowerCase()}`;

/**
 * How long a service counts as followed after one of its replicas has proved that it notes all changes. If the service ends
 * right after a commit, gateways may use an old value for this time plus the time for which they trust the tokens that they
 * have read: together less than 1 s.
 */
export const FOLLOWED_MILLIS = 600;
/** How often a replica proves that it notes all changes. */
export const PROOF_MILLIS = 150;
