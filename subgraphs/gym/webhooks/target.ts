import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { hostOf } from '#server/url-host.ts';
import { FORBIDDEN_PORTS } from './forbidden-ports.ts';

/**
 * Whether an IP address belongs to a host of the public internet. Every special range is refused: private, loopback,
 * link-local, carrier-grade NAT, multicast, documentation and reserved ones, and the IPv6 forms that contain an IPv4 address
 * (IPv4-mapped and -compatible, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // All global unicast addresses of IPv6 that are in use are in 2000::/3 (RFC 4291, IANA).
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parse('2000::'), 3);
}

const isLoopbackAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback';

/** The host of a URL, without the brackets of an IPv6 address and the dot at the end of an absolute name. */
const targetHostOf = (url: URL): string => hostOf(url).replace(/\.$/, '');

/** Whether the URL is http to this machine, which is a target only with demo data. */
const isLoopbackHttp = (url: URL): boolean =>
  url.protocol === 'http:' && (targetHostOf(url) === 'localhost' || isLoopbackAddress(targetHostOf(url)));

/**
 * Why events may not be sent to this URL; undefined if they may. The address of a host name is checked when a connection is
 * opened, because it may change.
 */
export function targetProblem(text: string, allowsLoopback: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return 'expected a URL such as https://example.com/events';
  if (url.username || url.password || url.hash)
    return 'expected a URL without user name, password and fragment';
  if (FORBIDDEN_PORTS.has(url.port)) return `expected another port; ${url.port} belongs to another protocol`;
  if (allowsLoopback && isLoopbackHttp(url)) return undefined;
  if (url.protocol !== 'https:') return 'expected an https URL';
  const host = targetHostOf(url);
  if (isIP(host) && !isPublicAddress(host)) return 'expected an address of the public internet';
  if (host === 'localhost' || host.endsWith('.localhost'))
    return 'expected an address of the public internet';
  return undefined;
}

/** Thrown if a host name has no address to which events may be sent. */
export class ForbiddenTargetError extends Error {}

/** The time limit of one request to a name server. */
const NAME_SERVER_MILLIS = 3_000; // 3 s

/**
 * Resolves a host name for a connection, and returns only the addresses to which events may be sent to this URL. The
 * connection uses the result, so the name cannot mean another address after the check. The result is a list, because Node's
 * default `autoSelectFamily` asks for all addresses.
 * @param signal ends the requests to name servers
 */
export const lookupFor = (url: URL, signal: AbortSignal): LookupFunction =>
  callbackify((hostname: string, _options: LookupOptions) => allowedAddresses(url, hostname, signal));

/** @throws ForbiddenTargetError */
async function allowedAddresses(url: URL, hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const isLoopback = url.protocol === 'http:';
  const isAllowed = isLoopback ? isLoopbackAddress : isPublicAddress;
  const found = isLoopback
    ? await dns.promises.lookup(hostname, { all: true })
    : await addressesOf(hostname, signal);
  const allowed = found.filter(({ address }) => isAllowed(address));
  if (allowed.length === 0)
    throw new ForbiddenTargetError('the host name has no address of the public internet');
  return allowed;
}

/**
 * The addresses of a host name, from the name servers themselves. `dns.lookup` would run in one of two threads in which the
 * whole process resolves its names, and nothing could end it: a gym whose name server does not answer would stop the
 * connections to the database and to other services.
 */
async function addressesOf(hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new dns.promises.Resolver({ timeout: NAME_SERVER_MILLIS, tries: 1 });
  resolver.setServers(dns.getServers());
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    // A host name may have addresses of one kind only, and some name servers do not answer a request for the other kind.
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled'
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    );
    const failure = answers.map(reasonOf).find((error) => error && error.code !== dns.NODATA);
    if (found.length === 0 && failure) throw failure;
    return found;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const reasonOf = (answer: PromiseSettledResult<unknown>): NodeJS.ErrnoException | undefined =>
  answer.status === 'rejected' ? (answer.reason as NodeJS.ErrnoException) : undefined;
