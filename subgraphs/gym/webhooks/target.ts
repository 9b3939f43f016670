import dns, { type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
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

/**
 * Resolves a host name for a connection, and returns only the addresses to which events may be sent to this URL. The
 * connection uses the result, so the name cannot mean another address after the check.
 */
export function lookupFor(url: URL): LookupFunction {
  const isAllowed = url.protocol === 'http:' ? isLoopbackAddress : isPublicAddress;
  return (hostname, options, done) => {
    dns.lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return done(error, '');
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first)
        return done(new ForbiddenTargetError('the host name has no address of the public internet'), '');
      if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}
