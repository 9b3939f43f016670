import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import helmet from 'helmet';
import { SECURITY_HEADERS } from '#server/http/security-headers.ts';

it("the security headers are helmet's defaults, with the exceptions of the platform", async () => {
  const protect = helmet({
    contentSecurityPolicy: {
      directives: {
        'img-src': ["'self'", 'data:', 'blob:'],
        'worker-src': ["'self'", 'blob:'],
        'connect-src': ["'self'", 'ws:', 'wss:'],
        'upgrade-insecure-requests': null,
      },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  const server = createServer((req, res) => protect(req, res, () => res.end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.close();
  const ofConnection = new Set(['connection', 'keep-alive', 'date', 'content-length']);
  expect(Object.fromEntries([...headers].filter(([name]) => !ofConnection.has(name)))).toEqual(
    Object.fromEntries(Object.entries(SECURITY_HEADERS).map(([name, value]) => [name.toLowerCase(), value])),
  );
});
