import { readFileSync } from 'node:fs';
import type { BrowserPage } from '#server/define-subgraph.ts';
import { IDENTITY_URL, SERVER_PREFIX } from '#server/served-document.ts';

/**
 * Allows only scripts and styles of this server, requests to this server and to identity for a token, and members' pictures.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  `connect-src 'self' ${IDENTITY_URL}/auth/token`,
  "worker-src 'self'",
  `img-src 'self' data: ${IDENTITY_URL}/avatars/`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SCRIPTS = ['kiosk', 'answers', 'camera', 'connection', 'queue', 'store'] as const;

/** `GET /kiosk`: a page for a tablet at the door, which checks members in with the token of a machine client. */
export const kioskPages = (): Record<string, BrowserPage> => ({
  '/kiosk': {
    type: 'html',
    text: file('kiosk.html'),
    headers: { 'Content-Security-Policy': POLICY, 'Permissions-Policy': 'camera=(self)' },
  },
  '/kiosk/worker.js': {
    type: 'js',
    text: file('worker.js'),
    // Without this header, a worker may only serve addresses below the folder of its script, `/kiosk/`; the page is at
    // `/kiosk`.
    headers: { 'Service-Worker-Allowed': `${SERVER_PREFIX}/kiosk` },
  },
  '/kiosk/kiosk.css': { type: 'css', text: file('kiosk.css') },
  ...Object.fromEntries(
    SCRIPTS.map((name) => [`/kiosk/${name}.js`, { type: 'js', text: file(`${name}.js`) } as const]),
  ),
});

const file = (name: string): string => readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
