/**
 * Headers that make browsers protect the platform's pages: the defaults of helmet, with exceptions that are named here. They
 * are data and not helmet's middleware, because the gateway's fast path writes all headers of a response at once: setting
 * them one by one takes 12 µs a request. A test compares them with helmet's.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'self'",
    "base-uri 'self'",
    "font-src 'self' https: data:",
    "form-action 'self'",
    "frame-ancestors 'self'",
    "img-src 'self' data: blob:", // of its own: pictures that a page has made
    "object-src 'none'",
    "script-src 'self'",
    "script-src-attr 'none'",
    "style-src 'self' https: 'unsafe-inline'",
    "worker-src 'self' blob:", // of its own: the explorer's editors
    "connect-src 'self' ws: wss:", // of its own: subscriptions
    // Without upgrade-insecure-requests: pages are served over plain HTTP inside a network, too.
  ].join(';'),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'cross-origin', // avatars and media are shown by front ends of other origins
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
