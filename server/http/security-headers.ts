/**
 * Headers that make browsers protect the platform's pages: the defaults of helmet, except the lines with a comment. They are
 * data instead of helmet's middleware, because the gateway's fast path writes all headers of a response at once; setting them
 * one by one takes 12 µs per request. A test compares them with helmet's.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'self'",
    "base-uri 'self'",
    "font-src 'self' https: data:",
    "form-action 'self'",
    "frame-ancestors 'self'",
    "img-src 'self' data: blob:", // blob: is added for pictures that a page creates
    "object-src 'none'",
    "script-src 'self'",
    "script-src-attr 'none'",
    "style-src 'self' https: 'unsafe-inline'",
    "worker-src 'self' blob:", // added for the explorer's editors
    "connect-src 'self' ws: wss:", // added for subscriptions
    // upgrade-insecure-requests is left out, because inside a network pages are served over plain HTTP, too.
  ].join(';'),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'cross-origin', // front ends of other origins show avatars and media
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'SAMEORIGIN',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
};
